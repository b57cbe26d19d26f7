"""The exception for input that a specification requires to be refused."""


class Refusal(Exception):
    def __init__(self, stage, reason):
        super().__init__(f"{stage}: {reason}")
        self.stage = stage
        self.reason = reason
