import Sterna
