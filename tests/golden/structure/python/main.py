import app.models as models
from app import User, connect as open_connection


def run(session, user: "User"):
    connection = open_connection("x")
    connection.flush()
    user.save()
    session.close()
    session.commit()
    models.check("a")
    User("b").close()
    open_connection("y").flush()
    unheard_of()


def twice():
    check = lambda x: x
    check(1)
    again = models.User("c")
    again.validate()


if __name__ == "__main__":
    run(None, None)
