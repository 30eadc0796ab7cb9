"""An Alexa skill over the assistant: requests in, checked; speech and cards out."""
