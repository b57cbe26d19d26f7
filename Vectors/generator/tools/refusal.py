"""The answer to input that a specification says to refuse."""


class Refusal(Exception):
    def __init__(self, stage, reason):
        super().__init__(f"{stage}: {reason}")
        self.stage = stage
        self.reason = reason
