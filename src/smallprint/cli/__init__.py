"""The command line: one function a command, a few lines over the library; heavy imports wait until they are needed."""
