"""The endpoint: OpenAI's chat API over an event stream that can be resumed at every event."""
