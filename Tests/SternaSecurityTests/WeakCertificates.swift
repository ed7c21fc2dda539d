/// Certificates for www.example.test, valid until 2126, with hashes and keys that current libraries do not make. Each was made by
/// `openssl req -newkey` and `openssl x509 -req` with `-sha1`, `-sha256`, `rsa:1024` and `rsa:2048`.
enum WeakCertificates {
    /// RSA root of 2048 bits.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIDITCCAgmgAwIBAgIUWCIeifbqVeI2zEAd/dEJMbul8pIwDQYJKoZIhvcNAQEL
        BQAwFzEVMBMGA1UEAwwMRml4dHVyZSBSb290MCAXDTI2MTEyMTA2MDkyNloYDzIx
        MjYxMDI4MDYwOTI2WjAXMRUwEwYDVQQDDAxGaXh0dXJlIFJvb3QwggEiMA0GCSqG
        SIb3DQEBAQUAA4IBDwAwggEKAoIBAQDB94qFKSX7/qmSX4bStmlw+Cs7T/hIHbQ6
        UwjBv82MJaXLjyaRtr0zI8pazQiGXKgwu9qIrPFrcUPJFsKLOLOBxK+PxYruslnr
        aOe7z4jk3BgZ5ODLFqhcVpbYYcvEAaWa4lDwCKxE22ffZCMSYWFAuiwnMr6hJaGG
        mkb3CgEWq6GhCA5wVEc2iJd8k7hEaByiSEcfsgQ4lZPm9wyzjLNeVT/rjYUiV9DU
        WeE7yvv8SEEUrYbMNcmnsCImEhgXz4Rg/aD4xUfBtGLbrlK5M301053Wd3mrR7Hn
        KgBzpgoxmcz80iYa85Uzsj3IRU4D6FSNOG7qL2f2Vwjovc1SMjnpAgMBAAGjYzBh
        MB0GA1UdDgQWBBRdNhzNm2oPV8J5lAZxknUQJ+GurzAfBgNVHSMEGDAWgBRdNhzN
        m2oPV8J5lAZxknUQJ+GurzAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIB
        BjANBgkqhkiG9w0BAQsFAAOCAQEADFDvfzRRr37qVADY6a2eCeorlXliRoMziW2u
        nFzU4eDM0kqquIA12P42a3BY/ykIowgj0PwprwP0xyAs8l0/7lGmDWInhLDt82xa
        NApPN9cEao65mTF1FobazOoCfP/XQzWfGFwKXrik3qJmUHPKAyYn6MQjGthe2lIi
        PRdfrNJYrCzBW9ir5U37X/CRmbu5xb5v9bIzk2gwMFLpiLHUPgNFZat2kG04CxNf
        9vdPNMtxLGVWzbbDbKRREYBV6YUyflx6//UE9iuLfVCrOobY9GtIWrhZXZonvFlj
        f8q8lZVVUmQTDYHaPONfy8pMlg6RM3UqEO32PnQ0hmcwkL/z/A==
        -----END CERTIFICATE-----
        """

    /// Under the root, and valid.
    static let good = """
        -----BEGIN CERTIFICATE-----
        MIIDSjCCAjKgAwIBAgIUYBq96/bykthXesx5wHgGkTKW53cwDQYJKoZIhvcNAQEL
        BQAwFzEVMBMGA1UEAwwMRml4dHVyZSBSb290MCAXDTI2MTEyMTA2MDkyN1oYDzIx
        MjYxMDI4MDYwOTI3WjAPMQ0wCwYDVQQDDARnb29kMIIBIjANBgkqhkiG9w0BAQEF
        AAOCAQ8AMIIBCgKCAQEAzh3DTxqli7LGDtbLyqYZu3PVGYAQNIBdeR0KPO1yU7PC
        ZABrbKGelHLn7w/sn7U5LuVIAQqKolRuFrTzOGj7FU9SPXmToA/H+/uoU4p+y+2L
        RR1Js+7Gum5lhDPB5Z7j2Flf4AXmgkkbgaLsuuWLWlGeqMcQjcbpwZiKYCqvFuG2
        aL4E3bODta843l3Qzpi1dA0MrVmSs2/34ZcH25m+obmwTeu6aCTwjnPHSHPycAHb
        0tVDCDZZpuK9suqyhFJ7q538apFB/zMMyg2V820mK7IH8dq3ryj1e8CkA6qth218
        vSG8rhM6K5FuzKONBsD5ZQw1vJlR8HjcqVEjfNdERwIDAQABo4GTMIGQMAwGA1Ud
        EwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMBsG
        A1UdEQQUMBKCEHd3dy5leGFtcGxlLnRlc3QwHQYDVR0OBBYEFM6AXeeccNKiKnOd
        CaNBBlL2ryZuMB8GA1UdIwQYMBaAFF02HM2bag9XwnmUBnGSdRAn4a6vMA0GCSqG
        SIb3DQEBCwUAA4IBAQBPC1wxYihplbcrtzqZbtQRU/KXKKR7ufdt+C/1jYIvxo7t
        prcxQqxFtqVM/89BaNeSC6N2TRhK5c50uUTrY/uCU86JN/fXcPnKGueZbn+mq1Er
        xaALRfN/Wuxzmk0INopzaPgP5fHC27YRLm1XstOALdxRs0praJYebrhVy8YKCJ82
        xggTGMTPuPNxpM5RenA1mYNR3CHHglxKitATf/f5haur9mJ4ZI4psHESn0kahDWV
        GDJaO99HMkT6l7y1aU5VtGQ9dmpUm4qWPMaZqxT0icJWtp3kTUvjy/cs60LPSIZ/
        ihzPFf3xUH8hCsdmiv+tmKCXg2N6IuZ/lIDSfMXt
        -----END CERTIFICATE-----
        """

    /// Under the root, signed with SHA-1.
    static let sha1Leaf = """
        -----BEGIN CERTIFICATE-----
        MIIDTjCCAjagAwIBAgIUYBq96/bykthXesx5wHgGkTKW53gwDQYJKoZIhvcNAQEF
        BQAwFzEVMBMGA1UEAwwMRml4dHVyZSBSb290MCAXDTI2MTEyMTA2MDkyN1oYDzIx
        MjYxMDI4MDYwOTI3WjATMREwDwYDVQQDDAhzaGExbGVhZjCCASIwDQYJKoZIhvcN
        AQEBBQADggEPADCCAQoCggEBAJCbyqxzZjw+2yNwuESNs/XeT7fom0/iy5u6L//Z
        CInRgDEGj3ISHPKFIAvzBDt+FQs7YqaVBwutBTtDcimMcA18hAb17vMGasFhi25i
        vAUHfjGwPOmEt+qAEXYMJPg008sJE8Umaqz7eVOlmETB6plZd4YqhTnxWpXqS7dO
        707ldp64hiVyzbBgPbNUa/brenBc+j5D25K9TXRUmJT2HJ5vRuj4gu6Xg1YjPFMy
        hdMRHYo9UHOFKRzWqfgRN32AZu+7tWvpBoO7c+9Nvf70O1Y1mOUb07tD5xKSmANp
        BxhX3TTdljdx9RwyRWWfdtmqXBhfdkK7jmDO1Sunu8XLtO8CAwEAAaOBkzCBkDAM
        BgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcD
        ATAbBgNVHREEFDASghB3d3cuZXhhbXBsZS50ZXN0MB0GA1UdDgQWBBQ0mUZOnZTp
        mVVOiDkNSeGZjECGgDAfBgNVHSMEGDAWgBRdNhzNm2oPV8J5lAZxknUQJ+GurzAN
        BgkqhkiG9w0BAQUFAAOCAQEATmBZXI990wpmqOkXTBER1hKHm8BZpLYL++nhOzYn
        JlRWu8MpRN+zilCSM5peUOmI1snZCjXhmRvCquvB+FxWsJc/r4rntRvBFla5r+FH
        icUkJ8mhLRkE1uvcnyi941+GVBbGPpeFsl1gGjbvDYWwnKQ0Z7pF6XJCqtsJGd7C
        BQFnMr+COoTy2c5k15hHyZ6yRB73N5oLQn5cOlN78NPCkUIq8LFvAGExP02+b6E3
        tBJmBe0meZZMeWbtvpKfs9tlRssvvHg2K6VRfGJ8a3tFk1HYEfSmPSFTXmVD+0uN
        INJReiEtz5vz/dQeSP9PS2eJ1iHD1VreTV43j8wDtHu5hQ==
        -----END CERTIFICATE-----
        """

    /// Under the root, with an RSA key of 1024 bits.
    static let shortLeaf = """
        -----BEGIN CERTIFICATE-----
        MIICyjCCAbKgAwIBAgIUYBq96/bykthXesx5wHgGkTKW53kwDQYJKoZIhvcNAQEL
        BQAwFzEVMBMGA1UEAwwMRml4dHVyZSBSb290MCAXDTI2MTEyMTA2MDkyN1oYDzIx
        MjYxMDI4MDYwOTI3WjATMREwDwYDVQQDDAh3ZWFrbGVhZjCBnzANBgkqhkiG9w0B
        AQEFAAOBjQAwgYkCgYEA5SIfkxIoHslZZ1dwHNxiIUKgtMSHFpuJhvBCPZw7MZQl
        riz1sM3GLiw+f0K4nNViCcXSt1hx5Y+TFd9YvRtdBHl9z9Tf4RryXiUQAfVGdLOC
        l/6CKUxYYScJs08QiXLkO6/Kk4FPBP3o9794Tk4iuYmLq6mr54hO8SEnL2zFIeUC
        AwEAAaOBkzCBkDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUE
        DDAKBggrBgEFBQcDATAbBgNVHREEFDASghB3d3cuZXhhbXBsZS50ZXN0MB0GA1Ud
        DgQWBBQ/rRL/dXJEky6H7LuacI3Xmsh0BDAfBgNVHSMEGDAWgBRdNhzNm2oPV8J5
        lAZxknUQJ+GurzANBgkqhkiG9w0BAQsFAAOCAQEAP2y6sqwlyuI1pFx3O7YGW3st
        0GKV5grj9bmciKzFwa/bZDydA6DpCpThfu+wrXSw1czf1j1UD3r7mGwPrj7bies/
        waLlf5DCsnQdrVZD5bzBjI26TInWnCDSzeDcxMbJnID7jrkr4voDQ+G4YhoWpkGU
        hPhbhXfu7B6KVrnQ/uw0PEcKMB0uw5grLmxnQvvshq2Zg00o5NBZfi99CfTlvry5
        +vUOBmh6YCJbb8KK/hJtj2z2TjuLxQqnKqijQQxED8Ex0FVyP8yqxpmhi9xZ8i8H
        PdTlfht2KKf52GCf4ckh4MfdrmIxU4+w36Zx5U5lG79123GhhRdGncKw8BSrvA==
        -----END CERTIFICATE-----
        """

    /// An authority under the root, signed with SHA-1.
    static let sha1Authority = """
        -----BEGIN CERTIFICATE-----
        MIIDGzCCAgOgAwIBAgIUYBq96/bykthXesx5wHgGkTKW53owDQYJKoZIhvcNAQEF
        BQAwFzEVMBMGA1UEAwwMRml4dHVyZSBSb290MCAXDTI2MTEyMTA2MDkyN1oYDzIx
        MjYxMDI4MDYwOTI3WjARMQ8wDQYDVQQDDAZzaGExY2EwggEiMA0GCSqGSIb3DQEB
        AQUAA4IBDwAwggEKAoIBAQCsgyELaWHCtYoR5cwgTEPcBJJjV1zjIAnAvMhfxUQ0
        Zuv2Mph8K7HQmvQ3xxWMV1+BbaG5qveoWqb2nrhLwFwkO2S1w9VV3sQ3TZhiwW8q
        +d8M5FwwKjv/sTb92a5vhiZ7tIfiOFDWc6+89OzqAj/kAkOTSejTAyyueDSPWUb3
        Cv6kanWoqAEiO7gBkARLkgwLL8P4+s2zTc12/tF0TFlzFHFDPA+bZtc/hn/WIHyZ
        hePtxQop99KbabBN/S/RpdafbLAQSipOtjPT1agcTv4KsFSZRHlII6dVIr1ZqNoO
        l3nk5FxcF/KGHRR+7HoZZSDZgq7uLzvARV6zpAqKniVnAgMBAAGjYzBhMA8GA1Ud
        EwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBRfn1Lgt1qcaq/W
        IbOrVRdvSg9EgzAfBgNVHSMEGDAWgBRdNhzNm2oPV8J5lAZxknUQJ+GurzANBgkq
        hkiG9w0BAQUFAAOCAQEAEDrfbt4jRWdLWU1E+teyy9CLiJUavOrrN5cglOmb6TPo
        52Ai7x8T19ixKjAVISiRnRrZ45Qk/nPkXaKvsCv0skdwco6B4hj1Gfh307aWjO19
        pNzM5TrE52Vf8On/91R5pWP2ms0/jzE/8llb+hrd3HLp0d7uxibjYdYLlYGKaDir
        hQaMyZQagcpG9XLXFe1S6GaZJGwnP01Jcut4T/33jhsFCCL14dEuFslguoOghbv7
        B8oDPeSrJonFS6s+m7k7DopFk08ubgYolCVmApg+qG6NPsfct5broR37o7jOL3fq
        qgzycGYnXxKjFsqQzqdyqhqOgeTTKjuSZJeGzL2AhA==
        -----END CERTIFICATE-----
        """

    /// Under the authority signed with SHA-1.
    static let underSHA1 = """
        -----BEGIN CERTIFICATE-----
        MIIDSTCCAjGgAwIBAgIUS+9CvLcYkCO46eMYGEcQz9OvPGwwDQYJKoZIhvcNAQEL
        BQAwETEPMA0GA1UEAwwGc2hhMWNhMCAXDTI2MTEyMTA2MDkyN1oYDzIxMjYxMDI4
        MDYwOTI3WjAUMRIwEAYDVQQDDAl1bmRlcnNoYTEwggEiMA0GCSqGSIb3DQEBAQUA
        A4IBDwAwggEKAoIBAQCchLANhqN0r/NOKY7yZJVxmPW7JkD8S1ontA34iU8LycKX
        c/em6SfbrZzmdFGk5QJaoH7H4rhP6A8CUsOVOjjUt8xRsUF/caMS71NwnzBi79A0
        tiqbxmXfhxQOyLi3zA1KjnBJLxwnWcFLS556mh+q1OTZIjl/sjL9AXRNjSrFkSpz
        z4vbieYdJ6mACAefVWm6744zQstHOfARf6S82jbEYO5ZAwUEO/gbcwDL8KTRlLkn
        PlJnv2UC+BSoOi56yiCk1uRlbNdAn1/qtiBm1G+wzr0Z9r4TAY1WE2W/1FpawnMD
        HoVlKdQGZ+esjBikbWZkKi13SF63LUZlAitZEu4bAgMBAAGjgZMwgZAwDAYDVR0T
        AQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGwYD
        VR0RBBQwEoIQd3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUtJhbRUWNVr6hub7A
        lhd8jV+/efwwHwYDVR0jBBgwFoAUX59S4LdanGqv1iGzq1UXb0oPRIMwDQYJKoZI
        hvcNAQELBQADggEBAKR+jMC3nZ/Xk6Vh4dCY3TJLtIHdge28GEbDp+hoHA1w8ozZ
        sE+qeEaHdf6R4zHyTmr84a/jet+AlCsnxzJ7GgkSusz32E20acVxOJQEjPR6xFf2
        iJQhWc1+rIE7cAmFBXsB9+lqzuoq/35cX0ygnd0zGLx/CX6b03Mc1uVLPS0eRRmw
        d5F7Ryuo8dXMUxdEOJF3u0E8BqL/zE5kiTeK+V6WwA6uZfvGX3yCSAcDWMSpyuI0
        QdYkU2wJHbo6KSNSnly8EthdvoA7vN72OdYs5EGCXnrq+X+YKwlBSZ+B0ofY3Atl
        NfEwlThY7vXb8N356fKdi8lxrNEa94rpvsf7uCU=
        -----END CERTIFICATE-----
        """

    /// An authority under the root with an RSA key of 1024 bits.
    static let shortAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIClzCCAX+gAwIBAgIUYBq96/bykthXesx5wHgGkTKW53swDQYJKoZIhvcNAQEL
        BQAwFzEVMBMGA1UEAwwMRml4dHVyZSBSb290MCAXDTI2MTEyMTA2MDkyN1oYDzIx
        MjYxMDI4MDYwOTI3WjARMQ8wDQYDVQQDDAZ3ZWFrY2EwgZ8wDQYJKoZIhvcNAQEB
        BQADgY0AMIGJAoGBALuyTMkXXZKDVKJWzy0kZoUBhmLEfcSVGPmHxtdQRAPyVVNn
        DXl47vjplgzUFrbYIz+k2gqHsV00KKsHqvKvFn5EXksAaoVVFIUn8DNr5kpJRNVf
        j0U7XpBg0M87tgBfV5ApUG8twdV1hdi/xIxSE430YtkyGvmlUiWE/Kb8Tx8xAgMB
        AAGjYzBhMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQW
        BBRqD82aXTUPjZ3OCjJ3nkNtJ9FOVTAfBgNVHSMEGDAWgBRdNhzNm2oPV8J5lAZx
        knUQJ+GurzANBgkqhkiG9w0BAQsFAAOCAQEASlsq1PpmXmhguUAlFn1Hrn0hg8j1
        AaYL9zCe+R/gqv+ArbvXpI9TYFASs52rBv5i85kSc2dGcdBS5etzQ0qlh7mZJ3Ux
        a22lVb8BYwMYi0Hic/nkT1FZm86mSWQsLjC1CNvli1vnAAa1WnZaBdPhrRshUwcY
        N+P+6/ZpZTnr7d8n8fs00AuCWwvAAhvAQB9aivishCqXCZzlquj46VhISBq+DnMl
        7WdeEr4iCuxp17AYo4YUDWMlxKLFu2EnRSwcXL8tRIbqW2f6wz54r/IpJbn5nht2
        h7rhCi8mo06Kstx9atyvtoXzC6ZhAWZ5OACb+ODhK3Tdw7ShZBw3WMNrXA==
        -----END CERTIFICATE-----
        """

    /// Under the authority with the short key.
    static let underShort = """
        -----BEGIN CERTIFICATE-----
        MIICyDCCAjGgAwIBAgIUKLRlJwxgXZ+j9oP/f76RszLNF/YwDQYJKoZIhvcNAQEL
        BQAwETEPMA0GA1UEAwwGd2Vha2NhMCAXDTI2MTEyMTA2MDkyN1oYDzIxMjYxMDI4
        MDYwOTI3WjAUMRIwEAYDVQQDDAl1bmRlcndlYWswggEiMA0GCSqGSIb3DQEBAQUA
        A4IBDwAwggEKAoIBAQDdWvmBqz/MXGS2/b6Nip0THzv7PZy0PBj8j/dhfmdVAHon
        PvvAsYKy7anNQi9nw1KgA3WlKcF2VI4NHok8g/HF22ZDqVCZ4JRDu0P7fK0ewkfD
        AwDmbJC4dI/XCf6rL0dUwTRrv/vbnzHqbL9eg6Ich2YnwxzdLfQ3o6hib+dwbGab
        fNvvIvQmMvsZWRa1hsoO678BeHVB4R/qe1cnqwa5Mlfga2GKCZquisfGJpdzDWov
        T8eL/sT6mH/nGnXQMhwE4MO6GHv36BIZR7N6J3BYZ8rXQhX9cDU0L3j3gYE8v139
        6d49p3MEV9axpZcr4rBWurM1GvUGPkeCJPqh8aGjAgMBAAGjgZMwgZAwDAYDVR0T
        AQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGwYD
        VR0RBBQwEoIQd3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUuyFwWtsJTQpJhyfi
        SEvN64AK8vQwHwYDVR0jBBgwFoAUag/Nml01D42dzgoyd55DbSfRTlUwDQYJKoZI
        hvcNAQELBQADgYEAbNnW5Yhy+YOiv4RHg5qYu8Lkc4Ph2fC8Udi45m97Y84OeIBS
        bterNgy58DW3CUhIFxnNZ9ZpuQPyibf8DbPLkW3pcIQM3jfp0T8ID+ZRImUfCs22
        I10Em03lI2WRyS0ObRQwVazji525aGRR8U6JU2BOZZ4eBCAEljReu2RyCjE=
        -----END CERTIFICATE-----
        """

    /// P-256 root.
    static let ellipticRoot = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAUGgAwIBAgIUORV3jBakqozDhbc22SjeOcGpJtUwCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPRml4dHVyZSBFQyBSb290MCAXDTI2MTEyMTA2MDkyN1oYDzIx
        MjYxMDI4MDYwOTI3WjAaMRgwFgYDVQQDDA9GaXh0dXJlIEVDIFJvb3QwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAARRXzdh1to1TmmesYxcCGxKPWjv4IwFliA0xMVJ
        hHaODRvNFlfOgvbR728soJ4/OC2JiKzlccbM1HfDKNbFDqSio2MwYTAdBgNVHQ4E
        FgQUHDkuyqLM9Qp4zTCUhxJf6uOT6RowHwYDVR0jBBgwFoAUHDkuyqLM9Qp4zTCU
        hxJf6uOT6RowDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZI
        zj0EAwIDRwAwRAIgEDVCxA267S2G/d+XF6rGEuXyPX/fS6PtHutZJQYPb9gCIH8M
        ktQkfIZcYYwtCF6Aoqsp1XsZncEkPu/zuAdWccd5
        -----END CERTIFICATE-----
        """

    /// Under the P-256 root, signed by ECDSA with SHA-1.
    static let ellipticSHA1 = """
        -----BEGIN CERTIFICATE-----
        MIIBwjCCAWigAwIBAgIUHb3F97kRM2UqP4UAirEHL36GJwowCQYHKoZIzj0EATAa
        MRgwFgYDVQQDDA9GaXh0dXJlIEVDIFJvb3QwIBcNMjYxMTIxMDYwOTI3WhgPMjEy
        NjEwMjgwNjA5MjdaMBExDzANBgNVBAMMBmVjc2hhMTBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABKuTEtMc+GAtjSgl5wozoESrsC5zx95jBVNjSZ3psPVQIJwThbDj
        y+WTWtrNGQR9TpenB3lSSgMaGilwJ8cAJsyjgZMwgZAwDAYDVR0TAQH/BAIwADAO
        BgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGwYDVR0RBBQwEoIQ
        d3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUtzWk66IfS/yEJucDWxhymAsUCRIw
        HwYDVR0jBBgwFoAUHDkuyqLM9Qp4zTCUhxJf6uOT6RowCQYHKoZIzj0EAQNJADBG
        AiEA+hiQHQpshPSQ9/1AWCadcGoPmtPWCdDem5Hyd1onLwUCIQDiWOx/3akUBW7H
        MJywwoHZNm5PEl3I1ch16PKmco1Yog==
        -----END CERTIFICATE-----
        """
}
