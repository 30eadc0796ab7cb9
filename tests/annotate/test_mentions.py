from __future__ import annotations

import re
import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.annotate import mentions
from smallprint.annotate.mentions import VERSION, find, names

# Every sentence names it.
NAMED = {
    "cookies": (
        "We set a cookie when you arrive.",
        "COOKIES are small files.",
        "Our bakery's site uses cookies to remember your basket.",
        "Cookies (not the edible kind) help us count visits.",
        "You may refuse third-party cookies.",
        "See our cookie policy for a list.",
        "Session cookies vanish when you close the browser.",
        "The cookie jar of our parser holds no personal data; the cookie itself holds a number.",
    ),
    "logs": (
        "Our log files hold your IP address.",
        "The logfile is erased each week.",
        "We read the web server logs once a month.",
        "Log data may include your browser's name.",
        "Servers automatically log each request.",
        "Access logs in our data centre are kept for ten days.",
        "Standard internet log information is collected.",
        "Web logs show which pages a visitor asked for.",
        "We keep your IP address; these logs are erased after a week.",
        "An audit log says who opened the record.",
    ),
    "web-beacon": (
        "Some pages hold web beacons.",
        "A web bug, or clear GIF, is an invisible picture.",
        "Pixel tags tell us whether a letter was opened.",
        "We use the Facebook pixel.",
        "Our letters hold a tracking pixel.",
        "Single-pixel gifs are set by our partners.",
        "We use cookies, beacons and scripts.",
        "Cookies and pixels help us to measure this.",
        "Beacons, tags and scripts are used.",
        "Web beacons are tiny. Far from here and much later, when all is said, and well beyond any window of words "
        "that one would look at, there may still be pixels.",
        "Action tags are placed on the page.",
        "A 1x1 pixel is loaded from their server.",
    ),
    "fingerprinting": (
        "We use device fingerprinting against fraud.",
        "Browser fingerprints are made of fonts and plug-ins.",
        "Canvas fingerprinting is not used.",
        "Digital fingerprinting may be used by our partner.",
        "A machine fingerprint ties the licence to your computer.",
        "Cookies, local storage and fingerprinting are trackers.",
        "We take a fingerprint of your browser.",
        "Device finger printing lets us know you again.",
        "Computer fingerprint data are sent at the start.",
    ),
    "flash-cookies": (
        "Flash cookies are kept by Adobe's player.",
        "We use Local Shared Objects.",
        "A Flash LSO cannot be removed by the browser.",
        "Local shared objects (LSOs) store your volume.",
        "Local-shared-objects hold more than a cookie can.",
        "Flash-based cookies are not used.",
        "Flash local stored objects remember the film.",
        "To manage Flash, open the panel where LSOs are listed.",
    ),
    "advertising-id": (
        "Your phone's advertising ID can be reset.",
        "We read the Google Advertising ID.",
        "Advertising identifiers are shared.",
        "The Identifier for Advertisers is Apple's.",
        "We collect the IDFA.",
        "On Android we collect the GAID of your device.",
        "We may see your mobile ad identifier.",
        "The iOS Identifier for Advertising or the Android one is sent.",
        "Reset your device's Ad ID in its settings.",
    ),
    "nai": (
        "Visit the Network Advertising Initiative.",
        "See www.networkadvertising.org/choices for more.",
        "The NAI opt-out page is here.",
        "Members of the NAI and the DAA offer a choice.",
        "NAI members may show behavioural advertisements.",
        "The National Advertising Initiative has a page.",
        "We follow the NAI's code for online advertising.",
        "The Network  Advertising\nInitiative explains it all at length and with many words, more than anyone would "
        "ever wish to read in one sitting or two. The NAI is a body.",
    ),
    "daa": (
        "Visit the Digital Advertising Alliance.",
        "Opt out at www.aboutads.info/choices.",
        "Opt out at optout.aboutads.info now.",
        "The DAA opt-out page is here.",
        "Click on the AdChoices icon.",
        "Go to youradchoices.com for a choice.",
        "The DAA's self-regulatory principles bind us.",
        "The Digital Advertising Alliance (DAA) and its European sister agree.",
    ),
    "edaa": (
        "The European Interactive Digital Advertising Alliance has a page.",
        "The EDAA is in Brussels.",
        "Go to www.youronlinechoices.eu to choose.",
        "Go to youronlinechoices.com/uk to choose.",
    ),
    "bbbonline": (
        "We take part in the BBBOnLine Privacy Program.",
        "BBB OnLine settles disputes.",
        "Complaints go to the BBB EU Privacy Shield.",
        "The Better Business Bureau's OnLine seal is ours.",
        "The BBB EU Safe Harbor programme settled it.",
        "See www.bbbonline.org for more.",
        "We bear the BBBOnline seal.",
        "Write to the Better Business Bureau EU Privacy Shield.",
    ),
    "trustarc": ("TRUSTe has reviewed us.", "TrustArc settles disputes.", "See feedback-form.truste.com for more."),
    "cnil": (
        "You may complain to the CNIL.",
        "See www.cnil.fr for more.",
        "The Commission Nationale de l’Informatique et des Libertés hears complaints.",
    ),
    "eprivacy": (
        "Our partner bears the ePrivacyseal.",
        "It was certified by ePrivacy GmbH.",
        "See www.eprivacy.eu for the seal.",
        "An ePrivacy Seal was given.",
        "The ePrivacy certificate is renewed each year.",
        "We are ePrivacy certified.",
        "The e-privacy seal is on our page.",
        "EPRIVACYSEAL is a mark.",
    ),
    "verasafe": ("VeraSafe is our representative.", "Write to VERASAFE.", "See www.verasafe.com for more."),
    "evidon": ("Evidon runs our consent banner.", "See info.evidon.com for more.", "The icon is EVIDON's."),
    "gdpr": (
        "The GDPR gives you rights.",
        "The General Data Protection\u00a0Regulation applies.",
        "Regulation (EU) 2016/679 applies.",
        "Under Art. 6 DSGVO we may.",
        "Write to gdpr@shop.example.",
    ),
    "coppa": (
        "We comply with COPPA.",
        "The Children's Online Privacy Protection Act applies.",
        "The Children’s Online Privacy Protection Act of 1998 applies.",
        "The Childrens Online Privacy Protection Rule applies.",
        "The Children Online Privacy Protection Act applies.",
        "The CHILDREN’S ONLINE\n\nPRIVACY PROTECTION ACT applies.",
        "Parents may write to coppa@shop.example about a child.",
        "The COPPA Rule binds us.",
    ),
    "privacy-shield": (
        "We are certified under the EU-US Privacy Shield.",
        "See www.privacyshield.gov for our entry.",
        "The Swiss-U.S. PRIVACY SHIELD is no more.",
    ),
    "caloppa": (
        "CalOPPA asks for a policy.",
        "The California Online Privacy Protection Act asks for it.",
        "California's Online Privacy Protection Act asks for it.",
        "Business and Professions Code Sections 22575 and following ask for it.",
    ),
    "ccpa": (
        "The California Consumer Privacy Act gives rights.",
        "Californians have rights under the CCPA.",
        "California residents: the CCPA is for you.",
        "We are CCPA compliant.",
        "The CCPA gives consumers a say.",
        "Do not sell my data (CCPA)",
        "The California Consumer’s Privacy Act gives rights.",
        "The Consumer Privacy Act of 2018 gives rights.",
    ),
    "scc": (
        "We rely on the Standard Contractual Clauses.",
        "Standard contract clauses were signed.",
        "The EU model clauses were signed.",
        "Standard Contractual Clauses (SCCs) were signed.",
        "We use standard data protection clauses.",
        "Model contractual clauses protect the transfer.",
        "The Commission's standard contractual clauses bind them.",
        "Standard-contractual-clauses are in the annex.",
    ),
    "hipaa": (
        "HIPAA protects your records.",
        "The Health Insurance Portability and Accountability Act protects them.",
        "Our HIPPA notice is here.",
    ),
    "bcr": (
        "Our Binding Corporate Rules were approved.",
        "Data go abroad under our BCRs, an adequate safeguard.",
        "A binding corporate rule is kept.",
        "Binding-Corporate-Rules apply.",
        "Privacy Shield, BCR or consent will do.",
        "Transfers rest on BCRs.",
        "Data protection authorities approved the BCR.",
        "Contractual clauses or BCR are in place.",
    ),
}

# No sentence names it.
UNNAMED = {
    "cookies": (
        "Chocolate chip cookies are on the counter.",
        "A fortune cookie comes with the meal.",
        "Cookie dough keeps for three days.",
        "Find cookie recipes and more.",
        "We sell cakes, cookies and brownies.",
        "Girl Scout cookies are sold in March.",
        "This is no cookie-cutter service.",
        "We bake fresh cookies each day.",
        "The cookie jar is empty.",
        "Cookies and milk are served at four.",
    ),
    "logs": (
        "Please log in to go on.",
        "When a user logs in, we greet them.",
        "You may log out at any time.",
        "Read our blog and our catalog.",
        "You are logged on.",
        "Log-in details are secret.",
        "We build log cabins.",
        "You can log data about your runs.",
        "We use traffic log cookies.",
        "Our weblog has news.",
        "The call logs of your phone stay there.",
        "Fire logs are delivered on visits.",
        "We keep accurate logs of maintenance visits.",
    ),
    "web-beacon": (
        "The picture is 600 pixels wide.",
        "The Google Pixel 4 is supported, and cookies too.",
        "Bluetooth beacons in our shops send cookies of another kind.",
        "Our office is at 12 Beacon Street; we use cookies.",
        "You may tag photos of your friends.",
        "Use a hashtag, or two tags.",
        "Return it with price tags on; we use scripts.",
        "We use Google Tag Manager.",
        "You may not use our name in meta tags or scripts.",
        "Found a bug? Tell us.",
        "A gift is a gif with a t.",
        "The pixel ratio of your screen is kept in cookies.",
        "The Beacon is our newspaper, and it sets cookies.",
        "Name tags are worn at the door.",
    ),
    "fingerprinting": (
        "The police took fingerprints.",
        "Unlock the app by fingerprint.",
        "Touch ID reads your fingerprint on your device.",
        "Fingerprinting is part of every background check.",
        "Applicants need a fingerprint card.",
        "Biometric data such as fingerprints are kept.",
        "Live scan fingerprinting is done on this device.",
        "Your fingers print the page.",
    ),
    "flash-cookies": (
        "The flash sale ends today.",
        "Cookies, in a flash.",
        "Bring a flash drive.",
        "The LSO plays on Sunday.",
        "We use HTML5 LSOs where Flash is missing.",
        "We also use local storage.",
        "Shared objects are found in the lobby.",
        "Flash Player must be installed.",
    ),
    "advertising-id": (
        "We like your advertising ideas.",
        "We use identifiers for advertising purposes.",
        "Give the ad ID when you call about a used car.",
        "The Android ID is collected.",
        "The IDFV is Apple's identifier for vendors.",
        "Advertising identifies our brand.",
        "Aida is an opera.",
        "We use unique identifiers for advertising and for statistics.",
    ),
    "nai": (
        "NAI Realty lets offices.",
        "Naidu is a name.",
        "Mr Nai lives here.",
        "The DNAI lab is closed.",
        "NAI stands for Network Associates Inc.",
        "NAI Global has agents.",
        "The initiative is ours.",
        "Hanai and Nainai came.",
    ),
    "daa": (
        "The European Interactive Digital Advertising Alliance has a page.",
        "The Digital Advertising Alliance of Canada has a page.",
        "Digital Advertising Alliance - Canada",
        "See youradchoices.ca for more.",
        "The DAA runs Dublin's airport.",
        "Canadians may visit the DAA of Canada to opt out.",
        "The European DAA offers choices.",
        "Dieticians belong to the DAA.",
        "Daan came.",
    ),
    "edaa": (
        "The Digital Advertising Alliance has a page.",
        "See youronlinechoices.com.au for more.",
        "A European alliance of digital firms.",
        "The cedaar tree.",
    ),
    "bbbonline": (
        "We are rated A+ by the Better Business Bureau.",
        "A BBB accredited business.",
        "See bbb.org for our rating.",
        "Complain to your local Better Business Bureau.",
        "The BBB Wise Giving Alliance reviewed us.",
        "Better business, online and off.",
        "Our rating is BBB.",
        "The Council of Better Business Bureaus is in Virginia.",
    ),
    "trustarc": ("The trustee holds it.", "The truste of the estate.", "Trusted by many.", "We entrust it to them."),
    "cnil": ("The council met.", "A pencnil is a typing error.", "The national commission met."),
    "eprivacy": (
        "The ePrivacy Directive applies.",
        "The e-Privacy Regulation will apply.",
        "Your e-privacy rights matter.",
        "Under ePrivacy law we ask first.",
        "ePrivacy matters.",
        "Our e-privacy statement is here.",
        "Article 5(3) of the ePrivacy directive, certified or not.",
        "E-privacy rules differ.",
    ),
    "verasafe": ("Vera is safe.", "Veras are safe.", "A verasafer world."),
    "evidon": ("It is evident.", "Evidons is not a firm.", "Evid on the door."),
    "gdpr": (
        "General data are kept.",
        "A template provided by GDPR Privacy Policy was used.",
        "Data protection regulations differ.",
        "The order number is 12016/6790.",
    ),
    "coppa": (
        "Coppa is a ham.",
        "Mr Coppa will see you.",
        "The California Online Privacy Protection Act applies.",
        "The California Online Privacy Protection Act (COPPA) applies.",
        "CalOPPA applies.",
        "Children's online games are fun.",
        "Online privacy protection is dear to us.",
        "Scoppa and Coppage came.",
    ),
    "privacy-shield": (
        "A laptop privacy shield is on sale.",
        "Privacy shield screens are on sale.",
        "We shield your privacy.",
        "Privacy shields for your phone are on sale.",
    ),
    "caloppa": (
        "The Children's Online Privacy Protection Act applies.",
        "California has laws on online privacy.",
        "Call Oppa.",
    ),
    "ccpa": (
        "The CCPA trains chiropractors.",
        "The Consumer Credit Protection Act applies.",
        "CCPAX is a code.",
        "CCPA Ltd makes pipes.",
        "Join the CCPA today.",
        "Our privacy act is together.",
        "Consumers act.",
        "The Privacy Act of 1974 applies.",
    ),
    "scc": (
        "SCC is a college.",
        "Santa Clara County (SCC) is in California.",
        "SCC members renew online.",
        "The SCC meets on Monday.",
        "Clauses of this contract are standard.",
        "A clause is a clause.",
        "The disc (SCCX) spins.",
        "The contract's clauses bind SCC.",
    ),
    "hipaa": ("The hippo came.", "Mr Hippa came.", "Number portability is free.", "Hipaaa is no word."),
    "bcr": (
        "BCR is a radio station.",
        "The BCR club meets here.",
        "Corporate rules are binding on staff.",
        "Banca Comercială Română (BCR) is a bank.",
        "ABCR and BCRX are codes.",
        "Call BCR on Monday.",
        "The bcr gene was found.",
        "We are BCR Ltd.",
    ),
}
IDS = [name.id for name in names()]
# Short enough to be many, and each the beginning of something: blanks, words of the table, letters, brackets, lines.
HOSTILE = (
    " ", "\n", "a", "7", "(", "[[", "-", "'", "log ", "logs ", "cookie", "cookie ", "pixel ", "tag ", "tags ", "web ",
    "e-", "1 x ", "chocolate ", "eating a ", "servers may also ", "advertising ", "ad id ", "european ",
    "california online privacy ", "digital advertising ", "NAI ", "SCC ", "BCR ", "CCPA ", "LSO ", "finger ", "health ",
    "fingerprint ", "beacon ", "children's ", "children''s ", "standard ", "national commission ", "2016/", "privacy ",
    "gdpr privacy ", "we may also log ", "1 by ", "bbb eu ", "better business ", "commission nationale ", "\u00a0’",
)  # fmt: skip


def found(text: str) -> set[str]:
    return {mention.name for mention in find(text)}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in NAMED.items() for text in texts])
def test_named(name, text):
    assert name in found(text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in UNNAMED.items() for text in texts])
def test_unnamed(name, text):
    assert name not in found(text)


def test_every_name_is_tried_both_ways():
    assert list(NAMED) == IDS
    assert list(UNNAMED) == IDS
    assert min(map(len, (*NAMED.values(), *UNNAMED.values()))) >= 3


def test_names_in_order():
    assert len(IDS) == len(set(IDS)) == 23
    groups = [name.group for name in names()]
    assert groups == ["technology"] * 6 + ["body"] * 9 + ["regulation"] * 8
    assert names()[0] == ("technology", "cookies", "Cookies")
    assert names()[-1] == ("regulation", "bcr", "Binding corporate rules")


def test_places():
    text = "Under the GDPR, web\u00a0beacons and Flash cookies (LSOs) need consent; İzmir has no logs. Cookies too."
    mentioned = [(mention.group, mention.name, text[mention.start : mention.end]) for mention in find(text)]
    assert mentioned == [
        ("regulation", "gdpr", "GDPR"),
        ("technology", "web-beacon", "web\u00a0beacons"),
        ("technology", "flash-cookies", "Flash cookies"),
        ("technology", "cookies", "cookies"),
        ("technology", "flash-cookies", "LSOs"),
        ("technology", "logs", "logs"),
        ("technology", "cookies", "Cookies"),
    ]


def test_letters_count_where_the_name_is_spelled_out_elsewhere():
    assert found("SCC binds us." + " word" * 100) == set()
    assert found("Standard contractual clauses apply." + " word" * 100 + " SCC binds us.") == {"scc"}
    assert len(find("Standard contractual clauses apply." + " word" * 100 + " SCC binds us.")) == 2


def test_no_text():
    assert find("") == ()
    assert find(" \n") == ()


def test_version_changes_with_the_table():
    assert re.fullmatch(r"\d+\.[0-9a-f]{8}", VERSION)


PIECES = st.sampled_from([*HOSTILE, *(text for texts in NAMED.values() for text in texts)])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_places_are_sorted_and_apart(text):
    ends = dict.fromkeys(IDS, 0)
    last = 0
    for mention in find(text):
        assert last <= mention.start < mention.end <= len(text)
        assert mention.start >= ends[mention.name]
        assert mention.end - mention.start <= mentions.REACH
        last, ends[mention.name] = mention.start, mention.end


@given(st.text())
def test_any_text(text):
    assert all(text[mention.start : mention.end] for mention in find(text))


@given(st.lists(PIECES, max_size=30).map("".join))
def test_hints_lose_nothing(text):
    plain = mentions._plain(text)
    for entry in mentions._entries():
        for pattern in entry.patterns:
            searched = plain if pattern.case else plain.lower()
            assert mentions._matches(pattern, searched) == [m.span() for m in pattern.words.finditer(searched)]


def test_every_pattern_is_bounded():
    for row in tomllib.loads(mentions._TABLE.decode())["names"]:
        for written in (
            *row.get("unless", ()),
            *(w for p in row["patterns"] for w in (*p["words"], *p.get("near", ()))),
        ):
            assert not re.search(r"(?<!\\)[*+]|\{\d*,\}", written), written


def seconds(piece: str, size: int) -> float:
    text = (piece * (size // len(piece) + 1))[:size]
    spent = []
    for _ in range(3):
        start = time.process_time()
        find(text)
        spent.append(time.process_time() - start)
    return min(spent)


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_text_and_no_faster(piece):
    # Four times the text: about 4 where time is linear, 16 where it is quadratic.
    assert seconds(piece, 80_000) < 8 * seconds(piece, 20_000) + 0.002
