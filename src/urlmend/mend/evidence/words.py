"""What words of prose are known by: the commonest of them, and the letters that words begin with."""

COMMON = frozenset(
    """
    a about above across after all also although am an and any are as at back based be because been before being below
    between both but by can click contact copy could did do does each either else email even every few first following
    for format free from full get had has have he hello help her here hi his home how however i if in info information
    into is it its just know last like list lists made mail mailing make many may me more most much must my name need
    new next no nor not note now of off on once one only or other our out over own page please project read regards
    same see send sent she should show since site so some still such support thanks than that the their them then there
    these they think this those though through thus time to too two under until unsubscribe up us use used user users
    using very via visit was way we web well were what when where which while who whose why will with within without
    work would wrote yes yet you your
    al auf con da dans das de del den der des di die ein eine el en est et il im ist la las le les los mit na nicht non
    oder par para per por pour que sie sono sur un una und une vom von was zu zum zur
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    """.split()
)
"""The commonest words of mail and news, the days and the months."""

_SECOND_LETTERS = {
    "a": "bcdfghilmnprstuvw",
    "b": "abceilorsuy",
    "c": "adehilopruy",
    "d": "aeioruy",
    "e": "acdfghilmnpqrstuvx",
    "f": "aeilortu",
    "g": "aeilmnopru",
    "h": "aeiotuy",
    "i": "abcdefglmnprst",
    "j": "aeimou",
    "k": "aehinor",
    "l": "aeiouy",
    "m": "aceiosuy",
    "n": "abeiou",
    "o": "bcdflmnprstuvw",
    "p": "acdeghilorsuy",
    "q": "mu",
    "r": "aefiopu",
    "s": "acdehiklmnopqrtuwy",
    "t": "acehioruwy",
    "u": "dilnprstu",
    "v": "aegio",
    "w": "aehiorw",
    "x": "ex",
    "y": "aeo",
    "z": "aeoz",
}
"""By its first letter, the second letter of a word: 230 pairs, with which 98 % of the words of mail and news begin."""

_VOWELS = frozenset("aeiouyAEIOUY")


def begins_like_a_word(text: str) -> bool:
    """Tell whether a word may begin as *text*, which is of letters, does."""
    return text[1].lower() in _SECOND_LETTERS.get(text[0].lower(), "")


def has_vowel(text: str) -> bool:
    """Tell whether *text* has a vowel."""
    return not _VOWELS.isdisjoint(text)
