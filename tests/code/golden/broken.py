def good(a):
    return a

def bad(a, b
    return a b

class Fine:
    def method(self): pass
