import Inkling

precondition(Epoch.seconds == 900)
