import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Accept-Language")
struct AcceptLanguageTests {
    /// The environment, and the languages it names.
    static let environments: [([String: String], [String])] = [
        ([:], []),
        (["LANG": "en_US.UTF-8"], ["en-US"]),
        (["LANG": "de"], ["de"]),
        (["LANG": "zh_CN.GB18030"], ["zh-CN"]),
        (["LANG": "zh-Hans"], ["zh-Hans"]),
        (["LANG": "de_DE@euro"], ["de-DE"]),
        (["LANG": "de_DE.ISO-8859-15@euro"], ["de-DE"]),
        (["LANG": "sr_RS@latin"], ["sr-Latn-RS"]),
        (["LANG": "sr_RS.UTF-8@latin"], ["sr-Latn-RS"]),
        (["LANG": "uz_UZ.UTF-8@cyrillic"], ["uz-Cyrl-UZ"]),
        (["LANG": "ks_IN@devanagari"], ["ks-Deva-IN"]),
        (["LANG": "sr@latin"], ["sr-Latn"]),
        (["LANG": "es_419"], ["es-419"]),
        (["LANG": "fil_PH"], ["fil-PH"]),
        (["LANG": "C"], []),
        (["LANG": "POSIX"], []),
        (["LANG": "C.UTF-8"], []),
        (["LANG": "C.utf8"], []),
        (["LANG": ""], []),
        (["LC_MESSAGES": "fr_FR", "LANG": "en_US"], ["fr-FR"]),
        (["LC_ALL": "it_IT", "LC_MESSAGES": "fr_FR", "LANG": "en_US"], ["it-IT"]),
        (["LANGUAGE": "pt_BR", "LC_ALL": "it_IT", "LC_MESSAGES": "fr_FR", "LANG": "en_US"], ["pt-BR"]),
        (["LC_ALL": "", "LC_MESSAGES": "", "LANG": "en_GB"], ["en-GB"]),
        (["LANGUAGE": "", "LC_ALL": "ja_JP.eucJP"], ["ja-JP"]),
        (["LANGUAGE": ":", "LANG": "ja"], ["ja"]),
        (["LC_CTYPE": "de_DE", "LC_TIME": "fr_FR"], []),
        (["LANGUAGE": "de:en_GB:en"], ["de", "en-GB", "en"]),
        (["LANGUAGE": "de_AT::en"], ["de-AT", "en"]),
        (["LANGUAGE": "sr@latin:de_DE.UTF-8@euro"], ["sr-Latn", "de-DE"]),
        (["LANGUAGE": "nb_NO:nn:C"], ["nb-NO", "nn"]),
        (["LANG": "en\r\nX-Evil: 1"], []),
        (["LANG": "e*"], []),
        (["LANG": "*"], []),
        (["LANG": "12_34"], []),
        (["LANG": "_US"], []),
        (["LANG": "@latin"], []),
        (["LANG": ".UTF-8"], []),
        (["LANG": "日本_JP"], []),
        (["LANG": "en;q=1,*"], []),
        (["LANGUAGE": "en\u{0}:de, fr:fr"], ["fr"]),
        (["LANGUAGE": "/etc/passwd:../../x:nl"], ["nl"]),
        (["LANG": String(repeating: "a", count: 5_000)], []),
    ]

    @Test("The environment's languages", arguments: environments.indices)
    func environment(index: Int) {
        let (environment, expected) = Self.environments[index]
        expectEqual(AcceptLanguage.languages { environment[$0] }, expected)
    }

    /// Languages, and the field's value.
    static let values: [([String], String?)] = [
        ([], nil),
        (["en"], "en;q=1"),
        (["zh-Hans", "en"], "zh-Hans;q=1, en;q=0.9"),
        (["a1", "en"], "en;q=1"),
        (
            ["zh-Hans", "en-US", "de", "fr-CH", "es-419", "sr-Latn-RS"],
            "zh-Hans;q=1, en-US;q=0.9, de;q=0.8, fr-CH;q=0.7, es-419;q=0.6, sr-Latn-RS;q=0.5"
        ),
        (
            ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"],
            "aa;q=1, bb;q=0.9, cc;q=0.8, dd;q=0.7, ee;q=0.6, ff;q=0.5"
        ),
        (["en", "de", "en", "DE", "fr"], "en;q=1, de;q=0.9, fr;q=0.8"),
        (["", "en\r\nX: 1", "*", "en,de", "e", "de--AT", "-de", "de-", "日本", "nl"], "nl;q=1"),
        (["\u{0}"], nil),
    ]

    @Test("At most six, weighted from 1 to 0.5", arguments: values.indices)
    func value(index: Int) {
        let (languages, expected) = Self.values[index]
        expectEqual(AcceptLanguage.value(languages), expected)
    }

    @Test("The field of a long LANGUAGE list")
    func list() {
        let environment = [
            "LANGUAGE": (0..<200).map { "a\(UnicodeScalar(UInt8(97 + $0 % 26)))" }.joined(separator: ":")
        ]
        expectEqual(
            AcceptLanguage.value(AcceptLanguage.languages { environment[$0] }),
            "aa;q=1, ab;q=0.9, ac;q=0.8, ad;q=0.7, ae;q=0.6, af;q=0.5")
    }

    @Test("The variables are looked at in their order, and no other is")
    func order() {
        var asked: [String] = []
        _ = AcceptLanguage.languages { name in
            asked.append(name)
            return nil
        }
        expectEqual(asked, ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"])
    }
}
