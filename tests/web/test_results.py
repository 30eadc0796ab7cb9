"""The page of results: what it shows, where its links lead, and that its address holds all that was asked."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.annotate.mentions import names
from smallprint.index.opening import open_engine
from smallprint.index.tree import Ranking
from smallprint.library import Library, reading
from smallprint.library.findable import summaries
from smallprint.search.request import Request
from smallprint.search.results import search
from smallprint.sectors import SECTORS
from smallprint.settings import Settings
from smallprint.web.pages.results import ORDERS

from .listing import COUNT, HTMX, count, is_inside, links, texts, tree_of

# What is shown


def test_without_words_everything_is_listed(client, annotated_sample):
    tree = tree_of(client, "/search")
    with Library(annotated_sample) as library:
        found = search(library, open_engine(Settings(library=annotated_sample)), Request())
    assert count(tree) == found.groups < found.total
    assert f"{found.total} with near-duplicates" in tree.css_first("#count").text()
    assert re.search(r"\d\.\d\d seconds", tree.css_first("#count").text())
    assert len(tree.css(".hit")) == 10
    assert texts(tree, ".hit h3") == [hit.policy.title for hit in found.hits]


def test_a_result_says_what_it_is_and_its_passages_lead_into_it(client, annotated_sample):
    tree = tree_of(client, "/search?q=encryption+breach")
    for hit in tree.css(".hit"):
        path, _, query = hit.css_first("h3 a").attributes["href"].partition("?")
        assert query == "q=encryption+breach"  # so that its words are marked there
        with Library(annotated_sample) as library:
            policy_id = path.removeprefix("/policies/")
            known = summaries(library, [policy_id])[policy_id]
        assert hit.css_first("h3").text() == known.title
        source = hit.css_first(".source a")
        assert (source.text(), source.attributes["href"]) == (known.url, known.url)
        assert set(source.attributes["rel"].split()) >= {"noreferrer", "noopener"}
        assert hit.css_first("time").attributes["datetime"] == known.seen
        said = hit.css_first(".facts-line").text()
        assert f"reading grade {known.grade:.0f}" in said
        assert re.search(r"\d+(\.\d+)? % of sentences vague", said)
        assert any(sector.name in said for sector in SECTORS) or "sector unknown" in said
        assert hit.css(".passage")
        for passage in hit.css(".passage a"):
            assert re.fullmatch(re.escape(f"{path}?{query}") + r"#s\d+", passage.attributes["href"])
            assert {mark.text().lower() for mark in passage.css("mark")} <= {"encryption", "breach"}
    assert {mark.text().lower() for mark in tree.css(".passage mark")} == {"encryption", "breach"}


@pytest.mark.parametrize("query", ["", "sector=medical", "q=site%3Atidemarkbank.example", "q=legal&in=url"])
def test_a_search_without_words_of_the_text_is_not_handed_on(client, query):
    tree = tree_of(client, f"/search?{query}")
    assert all("?" not in link for link in links(tree, ".hit h3 a, .passage a"))
    assert tree.css(".hit")


def test_the_words_asked_for_are_marked_on_arrival(client):
    tree = tree_of(client, "/search?q=%22do+not+track%22+%3Cb%3E%26")
    link = links(tree, ".passage a")[0]
    page = tree_of(client, link)
    marks = [mark.text().lower() for mark in page.css("mark.found")]
    assert "do not track" in marks
    assert page.css_first("#" + link.partition("#")[2]).css("mark.found")
    assert page.css_first("header input[name=q]").attributes["value"] == '"do not track" <b>&'


def test_a_result_says_which_words_it_lacks(client, annotated_sample):
    tree = tree_of(client, "/search?q=encryption+breach+data+%22do+not+track%22&fold=0&size=100")
    said = {}
    for hit in tree.css(".hit"):
        with Library(annotated_sample) as library:
            policy_id = urlsplit(hit.css_first("h3 a").attributes["href"]).path.removeprefix("/policies/")
            known = summaries(library, [policy_id])[policy_id]
            own = f"{known.title} | {reading.text(library, known.version_id)}".lower()
        phrases = {"encryption": "encryption", "breach": "breach", "data": "data", "“do not track”": "do not track"}
        lacks = [name for name, one in phrases.items() if not re.search(rf"\b{one}\b", own)]
        said[known.policy_id] = texts(hit, ".lacks")
        assert said[known.policy_id] == ([f"Missing: {', '.join(lacks)}"] if lacks else [])
    assert [] in said.values()
    assert ["Missing: breach"] in said.values()


@pytest.mark.parametrize("query", ["q=encryption+breach&match=all", "q=encryption", "q=encryption+title%3Abank",
                                   "q=legal+clinic&in=url", "q=encryption+log&index=page"])  # fmt: skip
def test_what_lacks_nothing_or_was_looked_for_elsewhere_says_nothing(client, query):
    tree = tree_of(client, f"/search?{query}")
    assert tree.css(".hit")
    assert [node.text() for node in tree.css(".lacks") if "bank" in node.text() or "title" not in query] == []


def test_of_many_words_that_are_lacking_a_few_are_named(client):
    tree = tree_of(client, "/search?q=cookies+zza+zzb+zzc+zzd+zze+zzf+zzg")
    assert set(texts(tree, ".lacks")) == {"Missing: zza, zzb, zzc, zzd, zze and 2 more"}


def test_no_score_is_shown(client):
    tree = tree_of(client, "/search?q=cookies")
    assert "score" not in tree.css_first("main").text().lower()
    for hit in tree.css(".hit"):
        for passage in hit.css(".passage"):
            passage.decompose()
        shown_numbers = re.findall(r"\d+\.\d+", hit.css_first(".facts-line").text())
        assert all(number + " %" in hit.text() for number in shown_numbers)


# Order, pages, words


def test_orders_are_explained_and_give_the_same_policies(client):
    tree = tree_of(client, "/search?q=cookies&sector=medical&page=2")
    assert texts(tree, ".modes div:first-child [aria-current]") == ["best match"]
    assert ORDERS[Ranking.CUSTOM][1] in tree.css_first(".modes").text()
    others = links(tree, ".modes div:first-child a")
    assert [dict(parse_qsl(urlsplit(link).query))["rank"] for link in others] == [
        "relevance", "popularity", "probability", "date",
    ]  # fmt: skip
    for link, (name, said) in zip(others, list(ORDERS.values())[1:], strict=True):
        assert "page=" not in link
        ordered = tree_of(client, link)
        assert count(ordered) == count(tree)
        assert texts(ordered, ".modes div:first-child [aria-current]") == [name]
        assert said in ordered.css_first(".modes").text()
    days = [node.attributes["datetime"] for node in tree_of(client, "/search?q=cookies&rank=date").css(".hit time")]
    assert days == sorted(days, reverse=True)


def test_words_and_furniture_can_be_toggled(client):
    tree = tree_of(client, "/search?q=encryption+breach&sector=medical")
    by_text = {node.text(): node.attributes["href"] for node in tree.css(".modes a")}
    every = tree_of(client, by_text["all of them"])
    assert count(every) < count(tree)
    assert links(every, ".modes div:nth-child(2) a") == ["/search?q=encryption+breach&sector=medical"]
    assert parse_qsl(urlsplit(by_text["whole page, with menus and footers"]).query)[1] == ("index", "page")
    for one in ("encryption", "%22data+breach%22", ""):
        assert "any of them" not in client.get(f"/search?q={one}", follow_redirects=True).text
    # Words of menus are found only with the page's furniture.
    alone = tree_of(client, "/search?q=%22log+in%22&fold=0")
    assert count(alone) < count(tree_of(client, "/search?q=%22log+in%22&index=page&fold=0"))


def test_pages_follow_one_another(client):
    first = tree_of(client, "/search?q=cookies")
    assert first.css("[rel=prev]") == []
    assert texts(first, ".paging [aria-current=page]") == ["1"]
    second = tree_of(client, links(first, "[rel=next]")[0])
    assert links(second, "[rel=prev]") == ["/search?q=cookies"]
    assert second.css_first("ol.hits").attributes["start"] == "11"
    assert not set(links(first, ".hit h3 a")) & set(links(second, ".hit h3 a"))
    last = tree_of(client, links(first, ".paging ol a")[-1])
    assert last.css("[rel=next]") == []
    pages = -(-count(first) // 10)
    assert texts(last, ".paging [aria-current=page]") == [str(pages)]
    beyond = tree_of(client, f"/search?q=cookies&page={pages + 5}")
    assert "no results" in beyond.css_first(".list").text()
    assert links(beyond, "[rel=prev]") == [f"/search?q=cookies&page={pages}"]


def test_exports_have_the_whole_search(client):
    tree = tree_of(client, "/search?q=cookies&rank=date&size=5&sector=medical&page=2")
    found = links(tree, ".exports a")
    assert [urlsplit(link).path for link in found] == ["/api/v1/export"] * 3
    for link, kind in zip(found, ("csv", "jsonl", "parquet"), strict=True):
        pairs = parse_qsl(urlsplit(link).query)
        assert pairs == [("q", "cookies"), ("rank", "date"), ("sector", "medical"), ("format", kind)]
    assert links(tree_of(client, "/search"), ".exports a")[0] == "/api/v1/export?format=csv"


def test_where_nothing_is_found_something_to_let_go_of_is_named(client):
    tree = tree_of(client, "/search?q=microphone+zzyzx&match=all&sector=nonprofit&year=2019")
    ways = tree.css(".list .prose ul")[0].css("li")
    for way in ways:
        promised = int(COUNT.search(way.text())[1].replace(",", ""))
        link = way.css_first("a").attributes["href"]
        assert count(tree_of(client, f"{link}&fold=0")) == promised > 0
    by_filter = tree_of(client, "/search?q=dental&sector=travel&regulation=gdpr")
    assert {"Sector", "all filters"} & set(texts(by_filter, ".list .prose ul:first-of-type a"))
    nothing = tree_of(client, "/search?q=zzyzx")
    assert "No policy in this library contains these words." in nothing.text()
    assert {"/help", "/search", "/statistics"} <= set(links(nothing, ".list .prose a"))


@pytest.mark.parametrize(
    "typed",
    [
        '"unbalanced', "(", "”curly“ „quotes", "🍪 cookies", "'; DROP TABLE policies; --", "^.*$", "a AND OR NOT",
        "-", '""',
        "title:", "site:", "grade:x", "sector:nonsense", "[a TO z]", "cookies~2", "*", "\\", "%", "<script>", "\x00",
        "ﷺ", "a" * 3000, "x:y:z", "site:\"", "{{ 7*7 }}", "\u202egnol",
    ],
)  # fmt: skip
def test_whatever_is_typed_gives_a_page(client, typed):
    answer = client.get("/search", params={"q": typed}, follow_redirects=True)
    assert answer.status_code == 200
    tree = LexborHTMLParser(answer.text)
    assert len(tree.css("h1")) == 1
    # A page cannot hold a NUL: parsers put a sign in its place.
    assert tree.css_first("input[name=q]").attributes["value"].replace("\ufffd", "\x00") == typed.strip()


def test_very_many_words_are_refused_or_said_to_be_too_many(client):
    assert client.get("/search", params={"q": "word " * 10_000}).status_code == 414
    tree = tree_of(client, "/search?q=" + "+".join(f"w{number}" for number in range(900)))
    assert "Only the first 100 words were looked for." in tree.css_first("#count").text()


@pytest.mark.parametrize(
    ("query", "said"),
    [("nonsense=1", "'nonsense' is not a known filter"), ("sector=sea", "Sector has no value 'sea'"),
     ("grade=12:8", "Grade = '12:8' is empty"), ("page=0", "Page = '0'"), ("page=101", "from 1 to 100"),
     ("rank=best", "Rank = 'best' is unknown"), ("in=body", "In = 'body' is unknown")],
)  # fmt: skip
def test_what_cannot_be_asked_is_a_page_with_one_line(client, query, said):
    tree = tree_of(client, f"/search?{query}", status=400)
    assert said in tree.css_first(".lede").text()


def test_the_setting_for_several_words_is_sent_along(serve, annotated_sample):
    client = serve(annotated_sample, serve_rate=0, search_match="all")
    for path in ("/", "/statistics"):
        (form,) = tree_of(client, path).css("form[role=search]")
        assert form.css_first("input[name=match]").attributes["value"] == "all"
    assert tree_of(client, "/").css_first(".examples a").attributes["href"].endswith("&match=all")
    assert tree_of(serve(annotated_sample), "/statistics").css("input[name=match]") == []


EXAMPLES = (
    "data breach", '"do not track"', "location -advertising", "title:bank", "site:tidemarkbank.example",
    "sector:medical retention", "names:gdpr encryption", "year:2024", "grade:8:12", "vagueness:0:0.2",
    "cookies -sector:unknown",
)  # fmt: skip


def test_the_help_has_these_examples_and_every_value_of_its_filters(client):
    tree = tree_of(client, "/help")
    assert texts(tree, "dt code") == list(EXAMPLES)
    assert texts(tree, "dd code") == [*(sector.id for sector in SECTORS), *(name.id for name in names())]


@pytest.mark.parametrize("typed", EXAMPLES)
def test_examples_of_the_help_find_something(client, typed):
    found = client.get("/search", params={"q": typed}, follow_redirects=True)
    assert count(LexborHTMLParser(found.text)) > 0


# Near-duplicates


def test_near_duplicates_can_be_opened(client):
    tree = tree_of(client, "/search?q=brightwithy")
    (details,) = tree.css("details.alike")
    assert details.css_first("summary").text() == "and 2 near-duplicates"
    address = details.css_first("a").attributes["href"]
    assert address == details.attributes["hx-get"]
    page = tree_of(client, address)
    assert texts(page, "h1") == ["3 policies, nearly the same"]
    assert len(set(links(page, ".hit h3 a"))) == 3
    assert links(page, "main .note a") == ["/search?q=brightwithy"]
    part = LexborHTMLParser(client.get(address, headers=HTMX).text)
    own = links(tree, ".hit h3 a")[0]
    assert set(links(part, ".others a")) == set(links(page, ".hit h3 a")) - {own}
    assert part.css("h1, main") == []
    assert len(tree_of(client, "/search?q=brightwithy&fold=0").css(".hit")) == 3


def test_a_group_that_is_not_found(client):
    assert client.get("/search/alike?q=brightwithy").status_code == 400
    assert client.get("/search/alike?q=brightwithy&group=nobody").status_code == 404
    assert client.get("/search/alike?nonsense=1&group=nobody").status_code == 400


# With htmx


def test_htmx_gets_the_part_that_changes_and_the_short_address(client):
    answer = client.get("/search?q=cookies&in=text&grade_min=8&grade_max=&sector=medical", headers=HTMX)
    assert answer.status_code == 200
    assert answer.headers["hx-push-url"] == "/search?q=cookies&sector=medical&grade=8%3A"
    assert answer.headers["vary"] == "HX-Request"
    assert "<html" not in answer.text
    tree = LexborHTMLParser(answer.text)
    assert tree.css_first("#count").attributes["hx-swap-oob"] == "innerHTML"
    assert texts(tree, "title")[0].startswith("cookies: 7 policies")
    whole = tree_of(client, answer.headers["hx-push-url"])
    assert tree.css_first("#found").html == whole.css_first("#found").html
    form = whole.css_first("form#narrow").attributes
    assert (form["hx-get"], form["hx-target"], form["hx-push-url"]) == ("/search", "#found", "true")
    assert "change" in form["hx-trigger"]
    assert whole.css_first("#count").attributes["role"] == "status"
    assert not is_inside(whole.css_first("#count"), "found")  # or it would be replaced, and not read out


def test_htmx_going_back_gets_the_whole_page(client):
    answer = client.get("/search?q=cookies", headers={**HTMX, "HX-History-Restore-Request": "true"})
    assert "<html" in answer.text


def test_what_htmx_cannot_ask_is_said_where_the_count_is(client):
    answer = client.get("/search?grade_min=12&grade_max=8&q=<script>", headers=HTMX)
    assert (answer.headers["hx-retarget"], answer.headers["hx-push-url"]) == ("#count", "false")
    assert "the lower end comes first" in answer.text
    assert "<script" not in client.get("/search?sector=<script>alert(1)</script>", headers=HTMX).text


# What goes wrong


def test_without_an_index_the_page_says_how_to_make_it(serve, annotated_library):
    client = serve(annotated_library.path, serve_rate=0)
    for address in ("/search", "/search/alike?group=x"):
        tree = tree_of(client, address, status=503)
        assert "smallprint index" in tree.css_first(".lede").text()
        assert str(annotated_library.path.parent) not in tree.html
    assert client.get("/search?rank=nonsense").status_code == 400


def test_an_index_that_knows_more_than_the_library(serve, annotated_sample, tmp_path):
    import shutil

    shutil.copytree(annotated_sample.with_name("sample.db.index"), tmp_path / "sample.db.index")
    Library(tmp_path / "sample.db", create=True).close()
    tree = tree_of(serve(tmp_path / "sample.db"), "/search")
    assert tree.css(".hit") == []
    assert "The search index is behind the library by 81 policies, so some results may be missing." in tree.html


def test_head_is_answered(client):
    for address in ("/search", "/search?q=cookies"):
        answer = client.head(address)
        assert (answer.status_code, answer.content) == (200, b"")
