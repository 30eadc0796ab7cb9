from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.clean.language import SAMPLE, language

ENGLISH = "We collect the information that you give to us when you place an order, and we keep it safe. "
GERMAN = "Wir erheben die Daten, die du uns bei einer Bestellung gibst, und wir bewahren alles sicher auf. "


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        ("Nous recueillons les données que vous nous donnez lorsque vous passez une commande. ", "fr"),
        ("Recopilamos la información que usted nos proporciona cuando realiza un pedido con nosotros. ", "es"),
        ("Raccogliamo le informazioni che ci fornite quando effettuate un ordine presso di noi. ", "it"),
        ("Wij verzamelen de gegevens die u geeft wanneer u een bestelling plaatst in de winkel. ", "nl"),
        ("Мы собираем информацию, которую вы предоставляете нам при оформлении заказа. ", "ru"),
        ("当社は、お客様の個人情報を適切に保護し、第三者に提供することはありません。", "ja"),
    ],
)
def test_languages(text, code):
    assert language(text * 5) == code


@pytest.mark.parametrize("text", ["", " \n", "123 456", "— … © 2024", "1" * 3 * SAMPLE])
def test_a_text_without_letters(text):
    assert language(text) == "und"


def test_menus_at_the_start_and_addresses_at_the_end_do_not_count():
    menu = "Startseite Bestellungen Kundendienst Anmelden Warenkorb Versandkosten Rückgabe "
    assert language(menu * 20 + ENGLISH * 60 + menu * 20) == "en"


def test_figures_before_the_text_do_not_count():
    assert language("1 2 3 " * 400 + ENGLISH * 100) == "en"


def test_what_most_of_the_text_is_in_counts():
    assert language(ENGLISH + GERMAN * 60 + ENGLISH) == "de"


@settings(deadline=None)
@given(st.text(max_size=200))
def test_every_text_has_a_code(text):
    code = language(text)
    assert code.isalpha()
    assert len(code) in {2, 3}
    assert code != "zxx"
    assert language(text) == code
