"""A voice in front of the assistant: what Alexa sends in, checked; what Alexa says out, with a card for the eye."""
