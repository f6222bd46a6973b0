"""One module or folder a dialect: what a provider's events mean, and how it is asked."""
