"""The version, for every layer to read without importing the public interface, which imports them."""

__version__ = "0.1.0"
