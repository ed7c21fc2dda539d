/// Certificates for www.example.test with hashes and keys that no library makes any more, valid from 2026 to 2126. `openssl`
/// made them, by `req -x509`, `genrsa 1024` and `x509 -req -sha1`; the keys are for tests only.
enum WeakChains {
    /// The root: P-256.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAUWgAwIBAgIUCC1JELKtK2vsTWHKT0aljfyqODUwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRV2VhayBGaXh0dXJlIFJvb3QwIBcNMjYxMTIxMTUyMTU3WhgP
        MjEyNjEwMjgxNTIxNTdaMBwxGjAYBgNVBAMMEVdlYWsgRml4dHVyZSBSb290MFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEb3zGPa/7Ojj4/wRtVWazRyzB8oWuf+Gp
        r7gFhBfd3+t+/h+z2cAL+gyAkPDLkYqMm3sV9gggx0fK3ZFnBPDPLKNjMGEwHQYD
        VR0OBBYEFGEZwo+8Jzbqz7E7w30bw+hMP2ppMB8GA1UdIwQYMBaAFGEZwo+8Jzbq
        z7E7w30bw+hMP2ppMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoG
        CCqGSM49BAMCA0kAMEYCIQDrYPJJtVRE6FHGzXp4icLJHYGfe7gG8nFggagqHv95
        5AIhAPVg70jIeyBRkxnOBQtKIgN0AGdyWjFxf0CY5NmgPA+B
        -----END CERTIFICATE-----

        """

    /// The key of the leaves, P-256, where nothing else is said.
    static let leafKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAQ1IGOX1/LKvrGSM
        vS24eMhjkz9x3IDaAFNCg2mZ46ChRANCAARyHJRzn3BLI8NoTrc0RWzRD4mNpJI0
        Eh0n6Qb4pNT1NwlNMXhCipMsrPlF6Ex3bgHtbZk5WGhMW55lNHZnS8/F
        -----END PRIVATE KEY-----

        """

    /// An authority with an RSA key of 1,024 bits, under the root.
    static let shortAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIB6DCCAY2gAwIBAgIUZjRoKvxR9yns9ByQg/OMG5e3+eEwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRV2VhayBGaXh0dXJlIFJvb3QwIBcNMjYxMTIxMTUyMTU4WhgP
        MjEyNjEwMjgxNTIxNThaMB0xGzAZBgNVBAMMElJTQS0xMDI0IEF1dGhvcml0eTCB
        nzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAp5Op/Rhhvkrx571EO7aPCu7zGci8
        GIhAAX8Jr+lAXpCHXP7CxAwbO3I117sSXKSBIFFgcVVPoi0TaF8/S/IX8W9Z5tuV
        9ZAo/50G40mJ2o4TWHZgenbRNKS4nLuaJt/4kRK6qJrLYuQQXV9vtOPqiBaiTht5
        fse40cyTnPiIGRcCAwEAAaNjMGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
        BAMCAQYwHQYDVR0OBBYEFPFziiKE2hSHt2zM1PTGCsctB/pqMB8GA1UdIwQYMBaA
        FGEZwo+8Jzbqz7E7w30bw+hMP2ppMAoGCCqGSM49BAMCA0kAMEYCIQCaiW1DIni9
        vubVySWaJ/v+DzzKYNUBpKT81VRrBmUq+wIhANw6ufvVb0RwO7kxTrMdOF1O/Cuo
        RZv5EkDtsytcV7Nr
        -----END CERTIFICATE-----

        """

    /// A leaf of that authority.
    static let underShort = """
        -----BEGIN CERTIFICATE-----
        MIICEDCCAXmgAwIBAgIUGr2bne0zfGuQmov/4L5Ql5T1J6YwDQYJKoZIhvcNAQEL
        BQAwHTEbMBkGA1UEAwwSUlNBLTEwMjQgQXV0aG9yaXR5MCAXDTI2MTEyMTE1MjE1
        OFoYDzIxMjYxMDI4MTUyMTU4WjAbMRkwFwYDVQQDDBB3d3cuZXhhbXBsZS50ZXN0
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEchyUc59wSyPDaE63NEVs0Q+JjaSS
        NBIdJ+kG+KTU9TcJTTF4QoqTLKz5RehMd24B7W2ZOVhoTFueZTR2Z0vPxaOBkzCB
        kDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEF
        BQcDATAbBgNVHREEFDASghB3d3cuZXhhbXBsZS50ZXN0MB0GA1UdDgQWBBQF7xPz
        4CHkZB6ns8k7LdMOq+pX0jAfBgNVHSMEGDAWgBTxc4oihNoUh7dszNT0xgrHLQf6
        ajANBgkqhkiG9w0BAQsFAAOBgQBqzB2uu5spfG2oCOmYvCqhq+XIafiQPrChizCP
        YK5GQZk1BLAs1XHBfS2MJIi8iB15gPiy6AqnWxGI3W5YLdC9ErO01BOMpDICcwKT
        Hu73DfnOL4PHCFHiBs0SRZX0fWh791h9LRlglzWjTGkoRBYd5nLCMNQxhdkzD8p2
        jyaqNQ==
        -----END CERTIFICATE-----

        """

    /// A leaf with an RSA key of 1,024 bits, under the root.
    static let shortLeaf = """
        -----BEGIN CERTIFICATE-----
        MIICFTCCAbygAwIBAgIUZjRoKvxR9yns9ByQg/OMG5e3+eQwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRV2VhayBGaXh0dXJlIFJvb3QwIBcNMjYxMTIxMTUyMTU4WhgP
        MjEyNjEwMjgxNTIxNThaMBsxGTAXBgNVBAMMEHd3dy5leGFtcGxlLnRlc3QwgZ8w
        DQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBAKKBbHjuqxMVY493Lg7GgTZdPGWCF/hP
        MqH24bP5y8YurOwEqH3JlYnaeExQF29a9qPWvXBwXWfc/7mG7P5FK4VOhTHC/iwS
        A2iAU4Y5DhKVFD85OiZ0bXfzx4S5uQM7DRKqJ/+Cp+lJ+XO2AmvJdsuMknT4ixBp
        O4modoxjDvENAgMBAAGjgZMwgZAwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMC
        B4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGwYDVR0RBBQwEoIQd3d3LmV4YW1wbGUu
        dGVzdDAdBgNVHQ4EFgQUep+koPLgewEngjO+IU5N27gQGV8wHwYDVR0jBBgwFoAU
        YRnCj7wnNurPsTvDfRvD6Ew/amkwCgYIKoZIzj0EAwIDRwAwRAIge6SLV1Ldd/oB
        WrvzR4jsyXJLUMlAdQitSqc3yXhu6+8CIA+vzM/lx25Emcz2hQlwsHhYpAQwDvBq
        Ke6PkaUTAals
        -----END CERTIFICATE-----

        """

    /// Its key.
    static let shortKey = """
        -----BEGIN PRIVATE KEY-----
        MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAKKBbHjuqxMVY493
        Lg7GgTZdPGWCF/hPMqH24bP5y8YurOwEqH3JlYnaeExQF29a9qPWvXBwXWfc/7mG
        7P5FK4VOhTHC/iwSA2iAU4Y5DhKVFD85OiZ0bXfzx4S5uQM7DRKqJ/+Cp+lJ+XO2
        AmvJdsuMknT4ixBpO4modoxjDvENAgMBAAECgYBKAtf8W/beQieN96GqaQ4ATIZt
        VMrF9IwC6AXzihkcsbVf6N80KtNIbY/Mcc26kZszE2JEC2j/HM/7F1BonegrnMRV
        YGrF7E+g8a+IymSF7FH2wU7XyZCXnB0T4mAGjABm6xFRFw8KBH9tEBrQitRPeiky
        CtyXsn9cYT5BKAbCoQJBAM1c8osQRYW1aaBzIEBWoCOF4As/QpdAnEWYpM6Pk8zs
        D8HqEN4R4akFfftjZidGlaPoLjQgTzLTHTEgdLaxjOMCQQDKkzLCL5QmbvQ6X+5c
        OvpcfhV1s91pJSnKr7t9NUwyTmizebpsmH2dcPY2m7kUhtnF3zXsBOi9/3QTwRw3
        cl1PAkBVt9U5PHp4XAeRxFwS3tWK3kdtCmOmNH7GAffQjFd58pKFM0kFGFujrDow
        owWxoSG2v6QBd/b21O3bYpu04hlXAkAO/DSVCM/8x9hpOQ944yQCE5Gi01tdm9Ir
        nDRSXs70Kbi1DhwsTFt+egy8nWhjjFYvvQNQIkzVQUBk9bQQpfUhAkBLCiS4/lwy
        Pvp2Vs5XVgBZw3lxw3EF70S8T15X4KnDoIoazm8Na9aYEQAaxZT/lPyruRnjZ4pf
        B9bs4PylDMcb
        -----END PRIVATE KEY-----

        """

    /// A leaf with an RSA key of 2,048 bits, under the root, with nothing wrong.
    static let longLeaf = """
        -----BEGIN CERTIFICATE-----
        MIICmzCCAkCgAwIBAgIUZjRoKvxR9yns9ByQg/OMG5e3+eMwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRV2VhayBGaXh0dXJlIFJvb3QwIBcNMjYxMTIxMTUyMTU4WhgP
        MjEyNjEwMjgxNTIxNThaMBsxGTAXBgNVBAMMEHd3dy5leGFtcGxlLnRlc3QwggEi
        MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCt1sPPhUkcv6Nej3ucMiI6AyDQ
        cQ9YcPglWcvpJvMghm9yjYHd3dO/QgZTJmFo/akrGTJAzkULBtM8lkCpd8mqbo1R
        l4JHxCPxJNprEkIzUaZ0iSb660LQgZdB8ROb+fiqiXae3oiwxtglQ1DWwrFq06TD
        Q9fH5KElCoIGGgaiQahamTazl8xrAEbEw0lvXkao3GttqY7AXCbvCqb2ObwFRQ+g
        lwDm/0OYp2Jz5tYNQhi8NIPjvWHTjD7ZkzwWnoujN5AuWqqERkLs+fw+n4KccWjq
        Y45ZMqOVJZHRgX4K6IDultZBk70I7fYzRQwi5nFhDFvAHv9WAn4fA9a+iLj9AgMB
        AAGjgZMwgZAwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAww
        CgYIKwYBBQUHAwEwGwYDVR0RBBQwEoIQd3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4E
        FgQUetwH8L7ALavhbwdPLvvRwbRecUkwHwYDVR0jBBgwFoAUYRnCj7wnNurPsTvD
        fRvD6Ew/amkwCgYIKoZIzj0EAwIDSQAwRgIhAM8zM455gADRT9w3xKu5T/IN2XrE
        /pkye2wVc8mZX+/FAiEA5Q7E4J3BQdlgDNok212S1Sqy5dWRot/lGVTe6WZtlBI=
        -----END CERTIFICATE-----

        """

    /// Its key.
    static let longKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCt1sPPhUkcv6Ne
        j3ucMiI6AyDQcQ9YcPglWcvpJvMghm9yjYHd3dO/QgZTJmFo/akrGTJAzkULBtM8
        lkCpd8mqbo1Rl4JHxCPxJNprEkIzUaZ0iSb660LQgZdB8ROb+fiqiXae3oiwxtgl
        Q1DWwrFq06TDQ9fH5KElCoIGGgaiQahamTazl8xrAEbEw0lvXkao3GttqY7AXCbv
        Cqb2ObwFRQ+glwDm/0OYp2Jz5tYNQhi8NIPjvWHTjD7ZkzwWnoujN5AuWqqERkLs
        +fw+n4KccWjqY45ZMqOVJZHRgX4K6IDultZBk70I7fYzRQwi5nFhDFvAHv9WAn4f
        A9a+iLj9AgMBAAECggEAC0ZLE9n+qG0rcNYYe8RqoN2UEsDKcH9/MJj21yvOB/WA
        I+tWmWeqNJTZKSprle4huyhasIZQRwtNxvetwPACddnOs5SCgBoSBLFRszEPdxmc
        FKHSk+KPRkupXj7++RZI0PKybVJchi6XVS9c/ljJPfb1EC8FvzKuWuMoFLI6bOp+
        t6PfMGvwwMS/fpYvfEEcpIRimoUxJDsMccZqMZIPema9Eg3TBcNkPcWHtfffSchy
        Cvux/hf9CaQq7AHnIztNbJQWImkKoEs9omM7MHIGwlQeyZGjQO2FW3bZurxuGoMr
        LO0J+rTLGib0tQ/5KKhdmg9PFiKCfwaczs9ejJYAIQKBgQDqOe3XtQ6GjTlaFe/1
        PSebNbQo/QEzvhQH/zXQcBF8qjbRX1y1g4mtm1bQl8cqwrOhQ0tezzq7O+9djR84
        cqRfEMPKa4xIekY6y7+VDtzUYncqmBGv3EIGk348vLDdZuW4thJv5gMz58oQhbRg
        ZLlt0m9/XD6oY+gwaGCucDKCzQKBgQC9/7/ULkJfsQ67GE3rSEBP/EuTe5nzgurv
        8HjmyVtJt50EDoWa8dgPCdNqpsGq4/GVK0rWIjaihN6V0ni0CnWKzmilx6yQCICf
        kN6FMx7JjHehr8xqALPi14qm7R1tmckpmqVpHQgChc7kvkw1S9TDkbCTqwADA/vl
        +Zm1yOXu8QKBgGEO0i0BfNxqpupajs2ror7hOR+G/7mGOVy693zBA64KBp8qCgu5
        TxLefNIBIunoNnFLpm7KJocxpdW5RcepUc2G7+rwN/hMms+AYIoO15k2mDTRQPsD
        pWR+N+BJPGzyV5z77ZXq1Ubr9MJ19THAa0pD2ioHentisvNkPTPrkDK9AoGAJnuY
        hQdhljQsgaSok5EsxYaaYCLWycWohDS2qDf8b2/rM5klYn69fj5FPgLMkypcEhSU
        sc54Nm6nDr10iTLdH+Iyu/E3eGzgcHFNQLlb8QKscGlFA+tkg/uYL7szDLHrVqvl
        +OZSawBjKV2J3fmf/ISTuTUXaYTzDl+BzJoGSGECgYBe7nnkwOP77H10wH7O/+92
        yAob1Gd1PNk4XkSU3SC6MwSK7L0D5Xf2fvJYvYOyjOdn5PjJ7EKBeLF8fXOAiMDO
        Gjo7And9aJjFHQgW642TStdTjI4kU/dnhfftcKIiXCCi7rn/VmZ7WGUsA3vt0V6L
        fly6IMMDhbqxF7U2ZnDBPw==
        -----END PRIVATE KEY-----

        """

    /// A leaf that the root signed with SHA-1, by ECDSA.
    static let ellipticSHA1 = """
        -----BEGIN CERTIFICATE-----
        MIIBzTCCAXSgAwIBAgIUZjRoKvxR9yns9ByQg/OMG5e3+eIwCQYHKoZIzj0EATAc
        MRowGAYDVQQDDBFXZWFrIEZpeHR1cmUgUm9vdDAgFw0yNjExMjExNTIxNThaGA8y
        MTI2MTAyODE1MjE1OFowGzEZMBcGA1UEAwwQd3d3LmV4YW1wbGUudGVzdDBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABHIclHOfcEsjw2hOtzRFbNEPiY2kkjQSHSfp
        Bvik1PU3CU0xeEKKkyys+UXoTHduAe1tmTlYaExbnmU0dmdLz8WjgZMwgZAwDAYD
        VR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEw
        GwYDVR0RBBQwEoIQd3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUBe8T8+Ah5GQe
        p7PJOy3TDqvqV9IwHwYDVR0jBBgwFoAUYRnCj7wnNurPsTvDfRvD6Ew/amkwCQYH
        KoZIzj0EAQNIADBFAiEA8f4TkfYM/QV3UJzouBy51G4ZQu9Jp06djJl2N9VdLi4C
        IDfjzTU91pwNwiO2rPLCC6VsshQMjIlHVwSNgYZmRmHg
        -----END CERTIFICATE-----

        """

    /// A root whose own signature is by SHA-1, which says nothing against it: RSA of 2,048 bits.
    static let oldRoot = """
        -----BEGIN CERTIFICATE-----
        MIIDHTCCAgWgAwIBAgIUXP8KDRxoBC/e7+FHeJ5bxvlA2w4wDQYJKoZIhvcNAQEF
        BQAwFTETMBEGA1UEAwwKU0hBLTEgUm9vdDAgFw0yNjExMjExNTIxNThaGA8yMTI2
        MTAyODE1MjE1OFowFTETMBEGA1UEAwwKU0hBLTEgUm9vdDCCASIwDQYJKoZIhvcN
        AQEBBQADggEPADCCAQoCggEBAJevBbDJT2f3jRwFJy0X9HfiRvQNG+a0WoLPiBMB
        kUzvAAnPbvHNXJJPADiXugf4FcENCDqndNaLOx/4FiUUiKZZz/O3y6rbzstY7cbI
        pTa5+nvam79hgXh6jLSc2c7ivBPmTx2Nqxmpg3yIuEB7FYloJJF3OR15jgVx77Xg
        dnJWREkwDnXfZgqlhay0gOIFRN06ReJbtYLJCRyoGKKzCX/kEDh7PG+UC4EZO3U6
        Yod0+QZIxNX/sAQAT2bzkaq8+NnQ/zAeCVWeXPS7rFluHXu5trLDfiA2qV7bSGjC
        z1RTLfb384gsdB7aGgR/NaOEQg1+IRXUJvmyMO9jMtwut30CAwEAAaNjMGEwHQYD
        VR0OBBYEFMLYpWOK1hDTXD8lZqg1o9VqifgZMB8GA1UdIwQYMBaAFMLYpWOK1hDT
        XD8lZqg1o9VqifgZMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMA0G
        CSqGSIb3DQEBBQUAA4IBAQBKmA1eB5R6vac7l92rNtsgCrrczIJw3rr2KOBAlbsH
        j1o69REO540THaZ4CkIienD+1jC53dtYUzZBYplm5yZLdWJ+guzEMdJCzHVyjJ5K
        W0XSqL5aEr0yEba86x1V1D16OlH4/FIyuYU9Y1IOO7JEYUPFgA642tgxtr+SaF8n
        qzCMmJAe7wMrDhb9f0uBpL1/mL06ge8yuH0eXaaHZPIFXntt+htwkOF0kpG5X0ss
        DzmIEN7s43s7eDDgBLabV+qGqbQ0+CHniGb3syveuiKOyFGD/WQXLvjSDooxGrCK
        rIj+luq9rg/eFgHGvYyyk5evd2/e1AKsMHx2NI9Ft7bm
        -----END CERTIFICATE-----

        """

    /// A leaf that the old root signed with SHA-256.
    static let underOldRoot = """
        -----BEGIN CERTIFICATE-----
        MIICiTCCAXGgAwIBAgIUM+vLPeGCu8S0KXOgeXeA2p7Wc9wwDQYJKoZIhvcNAQEL
        BQAwFTETMBEGA1UEAwwKU0hBLTEgUm9vdDAgFw0yNjExMjExNTIxNThaGA8yMTI2
        MTAyODE1MjE1OFowGzEZMBcGA1UEAwwQd3d3LmV4YW1wbGUudGVzdDBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABHIclHOfcEsjw2hOtzRFbNEPiY2kkjQSHSfpBvik
        1PU3CU0xeEKKkyys+UXoTHduAe1tmTlYaExbnmU0dmdLz8WjgZMwgZAwDAYDVR0T
        AQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGwYD
        VR0RBBQwEoIQd3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUBe8T8+Ah5GQep7PJ
        Oy3TDqvqV9IwHwYDVR0jBBgwFoAUwtilY4rWENNcPyVmqDWj1WqJ+BkwDQYJKoZI
        hvcNAQELBQADggEBABICGrLLQIdah7+hk8dug22aG2XTiB81NeVVMy5zvDzwnKRG
        AyzpKNx9Fl62BzJEyiiA8DxMPcsyhqraezfRSOEZf8Pi71/Ot+X6ggu+ja3qfWTm
        UJItk+75y/5Pzbov6e6QAjM2SDURQTTxz68yfPCSVkPeLZOkrMO4O+xtZ05DPDlq
        7zy84G8QU7FIrdaMSpQmQf48POPpNN1Tag7Dovmi/LCmi5ORN59DNHL5HKKsMQp6
        11SVo2M8NPQ+sKoTq3m1ByZtqSRZhmwfXpfSsP1arc/C0VoZMDQ7ptgcTkxpb0fE
        J6ACXA818B+vw9YgiYJnXNyJcMoc1xscJR1VtK4=
        -----END CERTIFICATE-----

        """

    /// A leaf that it signed with SHA-1.
    static let sha1Leaf = """
        -----BEGIN CERTIFICATE-----
        MIICiTCCAXGgAwIBAgIUM+vLPeGCu8S0KXOgeXeA2p7Wc90wDQYJKoZIhvcNAQEF
        BQAwFTETMBEGA1UEAwwKU0hBLTEgUm9vdDAgFw0yNjExMjExNTIxNThaGA8yMTI2
        MTAyODE1MjE1OFowGzEZMBcGA1UEAwwQd3d3LmV4YW1wbGUudGVzdDBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABHIclHOfcEsjw2hOtzRFbNEPiY2kkjQSHSfpBvik
        1PU3CU0xeEKKkyys+UXoTHduAe1tmTlYaExbnmU0dmdLz8WjgZMwgZAwDAYDVR0T
        AQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGwYD
        VR0RBBQwEoIQd3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUBe8T8+Ah5GQep7PJ
        Oy3TDqvqV9IwHwYDVR0jBBgwFoAUwtilY4rWENNcPyVmqDWj1WqJ+BkwDQYJKoZI
        hvcNAQEFBQADggEBABrSxhwDEXM2NIOjpdcQGnscd4I1JgwfCEcc7X171apA49G9
        HdDidwPlRjrLs18Y0y0jcHgwDRB7RIBzRb+t1oEvSSaHsD1utJtHGrlHjVUVWN96
        +tPxPY4YQy1LOFmQyqJ9UCbw9nurMLk3oLlRSkd+8Jw5phE3XpFD0kt34xVaXWFt
        bY7KjEYdaRuYjGmgcWTClZw1MjspTJypamtcvU/jkF+sXYdymAZH3foCN+yI9C/t
        A7P3T2QmXGQ5+vaOdGmlV6nVAVzsxKfs/ELrUPZnY50ZrzzyhJLMNJoUas4o+XdE
        by34rDH0UgC/vUsoAkk6LddrcdH/VoV+01hZuek=
        -----END CERTIFICATE-----

        """

    /// An authority that it signed with SHA-1.
    static let sha1Authority = """
        -----BEGIN CERTIFICATE-----
        MIIDIjCCAgqgAwIBAgIUM+vLPeGCu8S0KXOgeXeA2p7Wc94wDQYJKoZIhvcNAQEF
        BQAwFTETMBEGA1UEAwwKU0hBLTEgUm9vdDAgFw0yNjExMjExNTIxNThaGA8yMTI2
        MTAyODE1MjE1OFowGjEYMBYGA1UEAwwPU0hBLTEgQXV0aG9yaXR5MIIBIjANBgkq
        hkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAiu5L06BVljLgIzyI+SCWsfFcJy5CNKmH
        ZJ5DsIGDt/w88fkvorP2GkzPpiJ6Cvwk/sbu4KIDzmb7An5WbwiXeqiR1rd1DPX4
        KsX12fY+uN/uMe9gHhHKeiN2NDnVmWRLWr5YR+5UFE6H1UFSqGrA31eJlxRfbxvm
        yzvESQ990Wm7AxYJOsnytMWBYg9IlXQ31QMx0KlKYfN35XRUsbtw7q5VdcCT/q5f
        CLhINdzEQjRJ+8sE+1jUjcsJFjeQOCfhmx1dOnA79QHS/kd85Rbya1+N7Gsw8KFq
        /WNCemoIBzA4FRYYkN56UnIaFD7lWQcdLTROCq8I2ry62SUmDodoZQIDAQABo2Mw
        YTAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUjwjt
        AdJ2ejd6AxscirntXoJH94UwHwYDVR0jBBgwFoAUwtilY4rWENNcPyVmqDWj1WqJ
        +BkwDQYJKoZIhvcNAQEFBQADggEBAINOQXPdfoSinRNlx3WRwdA/j4Vs4PDWr9SL
        fkzv61EJMNA7mfCdBmqz8p5L8wABC1c2zrmU2kNJeSnu4h9srBf0iyY9AOlMrn2l
        TWFXe1QRUqrzzMWlYz/1cpzF6MJMlCaYbLUhJILThBozrslkaUEtJpvonGPeOMUg
        hwWiYvC+VMOqwKdOGamEUSWUkPPQ7AQaQlQgMZw+nyhDkdfe4jndK7rTL2XIE7l7
        8337RX0BzJnKTTkz+7oF964mKd1eesrjww7GWwq5suDhSxTfkwOTzirogbhBsSrY
        RNMeJT8TLFcg2LhHOu22MkuobFv78wX7jS4XfM38qSOx8RKTSFo=
        -----END CERTIFICATE-----

        """

    /// A leaf that this authority signed with SHA-256.
    static let underSHA1 = """
        -----BEGIN CERTIFICATE-----
        MIICjjCCAXagAwIBAgIUVGeSFvA3Ly6qn37Zz3yaD+gYvcIwDQYJKoZIhvcNAQEL
        BQAwGjEYMBYGA1UEAwwPU0hBLTEgQXV0aG9yaXR5MCAXDTI2MTEyMTE1MjE1OFoY
        DzIxMjYxMDI4MTUyMTU4WjAbMRkwFwYDVQQDDBB3d3cuZXhhbXBsZS50ZXN0MFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEchyUc59wSyPDaE63NEVs0Q+JjaSSNBId
        J+kG+KTU9TcJTTF4QoqTLKz5RehMd24B7W2ZOVhoTFueZTR2Z0vPxaOBkzCBkDAM
        BgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcD
        ATAbBgNVHREEFDASghB3d3cuZXhhbXBsZS50ZXN0MB0GA1UdDgQWBBQF7xPz4CHk
        ZB6ns8k7LdMOq+pX0jAfBgNVHSMEGDAWgBSPCO0B0nZ6N3oDGxyKue1egkf3hTAN
        BgkqhkiG9w0BAQsFAAOCAQEAXiJ1uID9spCvmyh06MAKl4FiKfv/f03UnYp+Bg4F
        azJlo61ASwtDRLB3BDxaoaBhTUYQPeIUS2s8m5PgMcnrVk/PKfN+JyXjm92Rysst
        09ASRCkO0yyGO91+5MxTRpeJFp1/V1aSklb2mb9+KIhrJev4STgEVTqwPuMRd3JY
        r6Z89ZZr20T5ZX8/fKMg6DSWb9fMGjoQnZ3TDFwkmo19KDKfwC9DxmI7Fn80guex
        XuwvxYTcv+Ej5QZLUFKZz/G0RELMtw5LcCJ46QtCOFZFg+63Mju0BNPL5VeyLT+v
        MbDEag94vuMuKL75LwWZ/1wr85AGN6qi7XRcjE4MaxmF2A==
        -----END CERTIFICATE-----

        """

    /// A leaf of the long key under the root whose key may sign certificates and nothing else.
    static let signingLeaf = """
        -----BEGIN CERTIFICATE-----
        MIICgjCCAimgAwIBAgIUZjRoKvxR9yns9ByQg/OMG5e3+eUwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRV2VhayBGaXh0dXJlIFJvb3QwIBcNMjYxMTIxMTUyOTAxWhgP
        MjEyNjEwMjgxNTI5MDFaMBsxGTAXBgNVBAMMEHd3dy5leGFtcGxlLnRlc3QwggEi
        MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCt1sPPhUkcv6Nej3ucMiI6AyDQ
        cQ9YcPglWcvpJvMghm9yjYHd3dO/QgZTJmFo/akrGTJAzkULBtM8lkCpd8mqbo1R
        l4JHxCPxJNprEkIzUaZ0iSb660LQgZdB8ROb+fiqiXae3oiwxtglQ1DWwrFq06TD
        Q9fH5KElCoIGGgaiQahamTazl8xrAEbEw0lvXkao3GttqY7AXCbvCqb2ObwFRQ+g
        lwDm/0OYp2Jz5tYNQhi8NIPjvWHTjD7ZkzwWnoujN5AuWqqERkLs+fw+n4KccWjq
        Y45ZMqOVJZHRgX4K6IDultZBk70I7fYzRQwi5nFhDFvAHv9WAn4fA9a+iLj9AgMB
        AAGjfTB7MAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgIEMBsGA1UdEQQUMBKC
        EHd3dy5leGFtcGxlLnRlc3QwHQYDVR0OBBYEFHrcB/C+wC2r4W8HTy770cG0XnFJ
        MB8GA1UdIwQYMBaAFGEZwo+8Jzbqz7E7w30bw+hMP2ppMAoGCCqGSM49BAMCA0cA
        MEQCIFFH3mAjQAndiuZFxyWdDMVDujAbhxfBnMrILTGXNtKpAiBTNQzdwHIkL6X/
        kmaF+Bw7P3NuKwwj0mTiqwmodq1lDg==
        -----END CERTIFICATE-----

        """

    /// A leaf of the long key under the root whose key may encipher keys and nothing else.
    static let encipheringLeaf = """
        -----BEGIN CERTIFICATE-----
        MIICgjCCAimgAwIBAgIUZjRoKvxR9yns9ByQg/OMG5e3+eYwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRV2VhayBGaXh0dXJlIFJvb3QwIBcNMjYxMTIxMTUyOTAyWhgP
        MjEyNjEwMjgxNTI5MDJaMBsxGTAXBgNVBAMMEHd3dy5leGFtcGxlLnRlc3QwggEi
        MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCt1sPPhUkcv6Nej3ucMiI6AyDQ
        cQ9YcPglWcvpJvMghm9yjYHd3dO/QgZTJmFo/akrGTJAzkULBtM8lkCpd8mqbo1R
        l4JHxCPxJNprEkIzUaZ0iSb660LQgZdB8ROb+fiqiXae3oiwxtglQ1DWwrFq06TD
        Q9fH5KElCoIGGgaiQahamTazl8xrAEbEw0lvXkao3GttqY7AXCbvCqb2ObwFRQ+g
        lwDm/0OYp2Jz5tYNQhi8NIPjvWHTjD7ZkzwWnoujN5AuWqqERkLs+fw+n4KccWjq
        Y45ZMqOVJZHRgX4K6IDultZBk70I7fYzRQwi5nFhDFvAHv9WAn4fA9a+iLj9AgMB
        AAGjfTB7MAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgUgMBsGA1UdEQQUMBKC
        EHd3dy5leGFtcGxlLnRlc3QwHQYDVR0OBBYEFHrcB/C+wC2r4W8HTy770cG0XnFJ
        MB8GA1UdIwQYMBaAFGEZwo+8Jzbqz7E7w30bw+hMP2ppMAoGCCqGSM49BAMCA0cA
        MEQCIB0okBqkbgl5ML0ch3TjRuyu5h/gTGFPu9HkBMMNbNx3AiB0inU3/ozpXYu/
        zsYy2GVH7cP2DF4BK6Vh62pc2ZSvRg==
        -----END CERTIFICATE-----

        """

    /// A leaf that the old root signed with SHA-1, with SHA-256 written in the part that is signed.
    static let twoAlgorithms = """
        -----BEGIN CERTIFICATE-----
        MIICiTCCAXGgAwIBAgIUM+vLPeGCu8S0KXOgeXeA2p7Wc9wwDQYJKoZIhvcNAQEL
        BQAwFTETMBEGA1UEAwwKU0hBLTEgUm9vdDAgFw0yNjExMjExNTIxNThaGA8yMTI2
        MTAyODE1MjE1OFowGzEZMBcGA1UEAwwQd3d3LmV4YW1wbGUudGVzdDBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABHIclHOfcEsjw2hOtzRFbNEPiY2kkjQSHSfpBvik
        1PU3CU0xeEKKkyys+UXoTHduAe1tmTlYaExbnmU0dmdLz8WjgZMwgZAwDAYDVR0T
        AQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGwYD
        VR0RBBQwEoIQd3d3LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUBe8T8+Ah5GQep7PJ
        Oy3TDqvqV9IwHwYDVR0jBBgwFoAUwtilY4rWENNcPyVmqDWj1WqJ+BkwDQYJKoZI
        hvcNAQEFBQADggEBAAY0g49zVNckIlU4REJ3msuPNkl8u81jWtv7qRmq5theCUPf
        iQiJKIo+EWPG0ZYQraRV9tjetMnSKBfZz+VtKz+En3wCLoAvqWQdHunkcz/wU6Gx
        mO+mpSh4z6JR/q7QDAZTkjeVLR3wLTed6eKebhjpDNah1YQav4x7sJcd38ZBP2ui
        tVZkIYSti+yaW2APtiLiZtdRJdP5KdgVO0ioayQfH4dNGgd2hRjtHWtnPXYVmq8P
        nte778obDeUwmlM1LPvN0l3IZGE6vsOGmDq0x5xxD3/lwshVF+f8d50drxn64gBb
        3dLIzauN70PuzjHgTLalTnZQpUaemZQ4Vtd+gEU=
        -----END CERTIFICATE-----

        """
}
