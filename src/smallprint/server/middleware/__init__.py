"""What every request passes and every answer carries; one concern a module."""
