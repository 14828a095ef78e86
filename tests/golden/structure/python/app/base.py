import abc


class Base(abc.ABC):
    def save(self):
        self.validate()
        return self.store.write(self)

    def validate(self):
        pass


class Quiet:
    def log(self):
        pass
