/// Certificates of kinds that no library makes any more, for the host localhost, made with OpenSSL and valid for a hundred
/// years. The keys are for tests only.
enum OldCertificates {
    /// The root: RSA of 2048 bits, SHA-256.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIDJzCCAg+gAwIBAgIUP7+UpaSSRaqjbJsOc0UCE/Caav0wDQYJKoZIhvcNAQEL
        BQAwGjEYMBYGA1UEAwwPU3Rlcm5hIE9sZCBSb290MCAXDTI2MTEyMTA2MTczMloY
        DzIxMjYxMDI4MDYxNzMyWjAaMRgwFgYDVQQDDA9TdGVybmEgT2xkIFJvb3QwggEi
        MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDO1oTUmmGG0A31XNrLuc8IuCfm
        fTmn2GxREeKaEgSejF+zbfwlOWRU0qJgB9+qhSoGBmwfogsnp+QrN6ZaSOLQaPuj
        9ht7kNvP6CzKIEYKoFqsyglENsp8nXkeiCotoU8emy28AYDwuDBo9KThaPEK0KTn
        V9c46NiOwT1iwPlElTlk62mYmMI8rvVnjVpVuLSiA7PBoMG0yjSvmJc3YHuwm13c
        qPLYhRQwHE2+fvb+HQRRCIBdboHCjucbPwUwGjV7ou+4zZy1rHAsDP/jAFlSPIXA
        BUd2YBaIO2ZXfzTo+1d+esWYFmaWq9VAnmYw0WHFhtjkZJL9uOm9SvoKjL7ZAgMB
        AAGjYzBhMB0GA1UdDgQWBBQ7Ss302GTbSQKF4xOlrBE6KMFkqzAfBgNVHSMEGDAW
        gBQ7Ss302GTbSQKF4xOlrBE6KMFkqzAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB
        /wQEAwICBDANBgkqhkiG9w0BAQsFAAOCAQEAvtPmYtpEz6ll6e4vHN8VDrpwBH5o
        DLiVZI2rjFXyWU4d3YA3AnKa06R2RXyyTWB/Ese6QsTWPO+MbU4lbI/hAOKD350w
        sUOqK45k7bL9X3Seq1YHkHITaJODBFympKVrHNtbt1NJvqs6bnzTFUed8/+/AQeN
        9AzjoIX/zzsC63goApBcwDfjERiTD0+Ogn/lY8y5VYVsRwvtZug2ikcI2A8zoBZV
        v9BFlAGngKgDO2gqNBJ712qK2vL1TFvO7c8G9rZeb7ePN9J8v7jcY8XRfSoMipkp
        DcF+xe6HcSomJQ7Alh61Dm7yocy8/0A8qzKGJY/SCXuIQmmHZtMqhFcv4w==
        -----END CERTIFICATE-----

        """

    /// The key of the leaves but the small one.
    static let leafKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQJDSDEIzQGNGzgKE
        KFbLVaucPU1kYtI+hRgHH3LMopihRANCAAReV1FUHs8ETiu/W1VSZtHg8cjROsI2
        X55qyaw88p8S0fFynHRMYUT30BFPmp8ayijsTEUR88Q/5PdIi+2Hipm2
        -----END PRIVATE KEY-----

        """

    /// A leaf as it should be.
    static let good = """
        -----BEGIN CERTIFICATE-----
        MIICXTCCAUWgAwIBAgIBCjANBgkqhkiG9w0BAQsFADAaMRgwFgYDVQQDDA9TdGVy
        bmEgT2xkIFJvb3QwIBcNMjYxMTIxMDYxODEwWhgPMjEyNjEwMjgwNjE4MTBaMBYx
        FDASBgNVBAMMC1N0ZXJuYSBsZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        XldRVB7PBE4rv1tVUmbR4PHI0TrCNl+easmsPPKfEtHxcpx0TGFE99ART5qfGsoo
        7ExFEfPEP+T3SIvth4qZtqN7MHkwFAYDVR0RBA0wC4IJbG9jYWxob3N0MBMGA1Ud
        JQQMMAoGCCsGAQUFBwMBMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFPvqhe+BC2KX
        fF5HgrIYsIcFLo1EMB8GA1UdIwQYMBaAFDtKzfTYZNtJAoXjE6WsEToowWSrMA0G
        CSqGSIb3DQEBCwUAA4IBAQA9OORcS+cNgr0bklfKuJIbMfDNYMYj8/Kcmuds+wgS
        D39I4EhzlTaNbn0iw/1mRIhGVXDNSNQ+t2SG2nRIOS7NywdtSeLv41kvbfruk9YF
        1NdQbbZykhiDYc1XNFlEEdSgepJL4xStpDedGrxNPGyQcMUiscORRrm35fRSkp97
        v09C/kkrmWV41gKqxKeEDM6rApY9DbhUWNoIvixrC4WaXVuQdeRTaMQGu+A5I8MV
        qvCHTm2KkEX1y52RrOdrpelMrJ0fpTi+WiUfY5TzMfJcCOe2qjEQYNggHBoWIwv9
        VLX9DoeBaBHlVSd8Uz537mdGSBc3NBOOD2A/C+yc9ALT
        -----END CERTIFICATE-----

        """

    /// The same leaf signed with SHA-1.
    static let sha1Leaf = """
        -----BEGIN CERTIFICATE-----
        MIICXTCCAUWgAwIBAgIBCzANBgkqhkiG9w0BAQUFADAaMRgwFgYDVQQDDA9TdGVy
        bmEgT2xkIFJvb3QwIBcNMjYxMTIxMDYxODEwWhgPMjEyNjEwMjgwNjE4MTBaMBYx
        FDASBgNVBAMMC1N0ZXJuYSBsZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        XldRVB7PBE4rv1tVUmbR4PHI0TrCNl+easmsPPKfEtHxcpx0TGFE99ART5qfGsoo
        7ExFEfPEP+T3SIvth4qZtqN7MHkwFAYDVR0RBA0wC4IJbG9jYWxob3N0MBMGA1Ud
        JQQMMAoGCCsGAQUFBwMBMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFPvqhe+BC2KX
        fF5HgrIYsIcFLo1EMB8GA1UdIwQYMBaAFDtKzfTYZNtJAoXjE6WsEToowWSrMA0G
        CSqGSIb3DQEBBQUAA4IBAQAGdPhDf3F1oZjYuYscRFoFQ84GrGrmbq442RTV+dUP
        hHd1lfWWebk5lZoDX6RHLHD3pIIQg7Iv8A63ACpc9tLNNb5bTl+GdKtqXY6+uOPT
        yG6EXdBNve0xVEtWDA6YtyyKvjcC55rbwnbZyR2xJm+qjiFcFwpoow1ZXiPj22YG
        o4kHMsX0SkXeGi0O5aqdFBSHsxZVibkhiAcaZ55MmDIwb66b8mfi+sLkBtUnrqjI
        PflwTr7iAXGq1VrdbPLH7DkU6qracgs8y6uUm5ThYRia3QobGJTnaXzpzavssiZC
        pcf0dsVyI+RtuFsrSoXPhQ6B3I6wd6PEKRjiaU7iKhvR
        -----END CERTIFICATE-----

        """

    /// An intermediate authority as it should be.
    static let goodIntermediate = """
        -----BEGIN CERTIFICATE-----
        MIICNjCCAR6gAwIBAgIBDjANBgkqhkiG9w0BAQsFADAaMRgwFgYDVQQDDA9TdGVy
        bmEgT2xkIFJvb3QwIBcNMjYxMTIxMDYxODEwWhgPMjEyNjEwMjgwNjE4MTBaMBcx
        FTATBgNVBAMMDFN0ZXJuYSBpbnRlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BPAIQDSh2dcOMSyyjJ5Vwhmhg+3PADGwwbyDL1MSrGd/aqSAM4xJYNX7ACrblL5G
        zvg8uqPT7+UUq1jMn/RNeVGjUzBRMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYE
        FJbnn2xt4bw8tkc6zulVe+IwIwfgMB8GA1UdIwQYMBaAFDtKzfTYZNtJAoXjE6Ws
        EToowWSrMA0GCSqGSIb3DQEBCwUAA4IBAQBd5Y/KR75TLYje3tFhnb28/Y8uzH5A
        5eNMLuXWPf3C64dzgSt6wca/w02g/S6AjXHUGeEmNprcCNjsL3Xqy0diJr4xJcE4
        GVTyzAx5xLnFcsXB2ecKfVyXuhE80Hv9RZ/2Ck4SgVW2Ian9pyYMp9MAEbDRZe1Y
        lQvpWKJuQFn3wWi9m5nGh6Vb1T3sjd/cgjcjkpCjyvRxIE6I6P6sEbu14erneDTS
        WlZRS1d+9RKBSRNr3XyOaPWVqTc7Y1htJHiNHovmm3wnqAdQdzetsDV0DhBi4iQZ
        dbq19lNOSSQypq2vsxp43B8d551TTY6rFuYYuGIsAmHhQmApPX+Nzyzt
        -----END CERTIFICATE-----

        """

    /// The same authority signed with SHA-1.
    static let sha1Intermediate = """
        -----BEGIN CERTIFICATE-----
        MIICNjCCAR6gAwIBAgIBDDANBgkqhkiG9w0BAQUFADAaMRgwFgYDVQQDDA9TdGVy
        bmEgT2xkIFJvb3QwIBcNMjYxMTIxMDYxODEwWhgPMjEyNjEwMjgwNjE4MTBaMBcx
        FTATBgNVBAMMDFN0ZXJuYSBpbnRlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BPAIQDSh2dcOMSyyjJ5Vwhmhg+3PADGwwbyDL1MSrGd/aqSAM4xJYNX7ACrblL5G
        zvg8uqPT7+UUq1jMn/RNeVGjUzBRMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYE
        FJbnn2xt4bw8tkc6zulVe+IwIwfgMB8GA1UdIwQYMBaAFDtKzfTYZNtJAoXjE6Ws
        EToowWSrMA0GCSqGSIb3DQEBBQUAA4IBAQCxO9epFYfWfHsPoAHUMCQfDOJjdJgg
        pmxj16RevPpIq+0IKy0eAIqTr7IglQIF2RPPG5TCAGhmPBNPpM7dpFCAhSm4YkEq
        uhJ77T2NIX5biSIn01mQQ75FepkEJtxh4Uh0xUxMJlgZUwPiHfWUmOpF8/wRmF6w
        hho3aIcZLvDx6/T61eLIFn1jadeOTFyQJMSKGTIUH79AtfK/XFnCh1Di+RoS7Q7p
        yRBIsGI0cXOAs7D84qSSCib94GA1gvmf6/bRxjohuHS21A7RuIIxZTAk37xUhPk/
        9bk2677yipkgsqaFLovb16rwcOFeXzQ8QX7yN7hs/dyeTvE9akGtFpZN
        -----END CERTIFICATE-----

        """

    /// A leaf as it should be that the intermediate authority signed.
    static let belowIntermediate = """
        -----BEGIN CERTIFICATE-----
        MIIBmDCCAT+gAwIBAgIBDTAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxTdGVybmEg
        aW50ZXIwIBcNMjYxMTIxMDYxODEwWhgPMjEyNjEwMjgwNjE4MTBaMBYxFDASBgNV
        BAMMC1N0ZXJuYSBsZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXldRVB7P
        BE4rv1tVUmbR4PHI0TrCNl+easmsPPKfEtHxcpx0TGFE99ART5qfGsoo7ExFEfPE
        P+T3SIvth4qZtqN7MHkwFAYDVR0RBA0wC4IJbG9jYWxob3N0MBMGA1UdJQQMMAoG
        CCsGAQUFBwMBMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFPvqhe+BC2KXfF5HgrIY
        sIcFLo1EMB8GA1UdIwQYMBaAFJbnn2xt4bw8tkc6zulVe+IwIwfgMAoGCCqGSM49
        BAMCA0cAMEQCIGXxilIPDbevSDhWwS9jDcs8geOKcTqZYdYii0nWJAu6AiBzjo5y
        y6BHa8T9iSsgvEkKdS2O+1S4BbiPd0wl2CoHCw==
        -----END CERTIFICATE-----

        """

    /// A key of RSA with 1024 bits.
    static let smallKey = """
        -----BEGIN PRIVATE KEY-----
        MIICeAIBADANBgkqhkiG9w0BAQEFAASCAmIwggJeAgEAAoGBAODcMoaqZF6QPss5
        uwdtgeA5KLgjZFRQsD807q02w0nWlK2K4SM4bQD6FxBYa/jypCNg+LN/dnqg6xzX
        6ZAvMvuRb67wAVAMBK/9FziEJFmX7A7/ZgVrtBkdLfv4xjXzU+ydMdGme2XEzWv1
        Tvja0KLkr0zjUXK21I+38U3TBdjbAgMBAAECgYAHlSVXCTPtRGv5qm62J2kzyHmp
        C/h8J2RqHTzXNnuLZ+MHnyFMcMCsQcK5WGH7uSLz1ndMhkXWiMqk5FsJ862CYgmX
        eXy+BgVlB175L0tIT42qqwfq9o8eomi8c6dRp1TSlTwzmg/ZeM3jTn5EBY5t/f/C
        lt0J44tVg8UZQiNUEQJBAPleeAVKVnnQPNrnztTsYRDRm29CRZ2hy1Pc4HD4ckiP
        t6beqK3IDdFHuRBtW0V31/U5ov1oiIKJE/neaCBYsK0CQQDm1uOe7qIkOh63JsbJ
        V/zVLh4545N//NoA/dY2+dzYHpHbXBkv5w+X2nqNlvTx9tjJQxctE6/8jSf67t5f
        b/inAkEAoJU4HtgHJfx2I9Wg+LabrzP7r0LzB5Z4FDIpijZDifyanGfIIdixJTLV
        twFlBDAvrqgGEL+vILhbV83kKehTJQJBANnrcZT/eOg0SfzjSXSYcOIbmINT2VJR
        NMkM2SarORZ5vX5Vcp2rRyg3I8z4/qJSQ5O0l3OBi3kjFOQqjpmQTi8CQQCpjeS9
        y4I/4+gdY3mP+8Tz5nYbdMTZY0EGAqHKL+ik6dhN9lGQ9nvFTKHdsuPXA4XVAmvj
        AyKjXQzBnOFsMsak
        -----END PRIVATE KEY-----

        """

    /// A leaf with the small key.
    static let smallLeaf = """
        -----BEGIN CERTIFICATE-----
        MIICpTCCAY2gAwIBAgIBDzANBgkqhkiG9w0BAQsFADAaMRgwFgYDVQQDDA9TdGVy
        bmEgT2xkIFJvb3QwIBcNMjYxMTIxMDYxODEwWhgPMjEyNjEwMjgwNjE4MTBaMBcx
        FTATBgNVBAMMDFN0ZXJuYSBzbWFsbDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkC
        gYEA4NwyhqpkXpA+yzm7B22B4DkouCNkVFCwPzTurTbDSdaUrYrhIzhtAPoXEFhr
        +PKkI2D4s392eqDrHNfpkC8y+5FvrvABUAwEr/0XOIQkWZfsDv9mBWu0GR0t+/jG
        NfNT7J0x0aZ7ZcTNa/VO+NrQouSvTONRcrbUj7fxTdMF2NsCAwEAAaN7MHkwFAYD
        VR0RBA0wC4IJbG9jYWxob3N0MBMGA1UdJQQMMAoGCCsGAQUFBwMBMAwGA1UdEwEB
        /wQCMAAwHQYDVR0OBBYEFAfb43K7SLbhJvYQ3/jRUNYjgIYyMB8GA1UdIwQYMBaA
        FDtKzfTYZNtJAoXjE6WsEToowWSrMA0GCSqGSIb3DQEBCwUAA4IBAQDEMEIdWf/C
        KqCl9glJbAar3cNMJi0+/zV3hYH5IK62b6xFJWCpuzBMO00Z6dSZasjejxEfZNrv
        O4P2ySzckFawxy4x87ko+M8GahBP/w+5ps9BSSTdIjrQRQv5BKWTw1NBbpCEtFEQ
        AMlAMz5WJ/4yd/gUoqYpPI/+dyHgJVDRoCSDx1gZOJAcHPEinfqgUh/GGMJYQMLJ
        bqLuc9V8+IxfMpOY7acS7eE1DejLhDE4WD7AXmYmkqAv5810pxvrd3wrutIfnhBb
        yWlN27LdO3ZgGYt4XCdSHqQUTYgu5jhPMinVFDR+KPEMZMctjcfY+s4p1rjmrWCn
        3gJz7RqKrF1t
        -----END CERTIFICATE-----

        """
}
