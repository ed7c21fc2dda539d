/// A certificate of an RSA key of 2,048 bits, and the key, which `openssl req -x509` made for these tests.
enum RSAIdentity {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIC/DCCAeSgAwIBAgIUGQcP9oOFDfVYz7+IcPCiB1X8xyQwDQYJKoZIhvcNAQEL
        BQAwDjEMMAoGA1UEAwwDcnNhMCAXDTI2MTEyMzAyNTA1OFoYDzIxMjYxMDMwMDI1
        MDU4WjAOMQwwCgYDVQQDDANyc2EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
        AoIBAQDZgSr8kqAYiPYuWzEFfQmgQvFaoGfh/uO0UzyaUietqbplWKfm1BRFqQSA
        9Slg8DkpA9Fk7gW61YFXOonwxDVqj6W1HGUVwftsnigFdLABGV1BJxuZBREZNJSE
        FulIeJjPbu/VJnwLuGX/cMb4j1ecMBcZWNtw6AfGGsgUfzZK3vlGH/ub0j09fAm6
        uiAaFO8SWJdB8ILQ72QHkiiE8UoDJClfQNhCa729ZLjOSQqpLHwDeS+6+3aFoxuN
        jo7WqEgL1jfFWGdm4l3FzIfROKuGIzyKHwlM48nChAXNkwfdwWDVGdkHxW8HQhEC
        ZebxjUH6btlQLRerDgaeQoSMhooRAgMBAAGjUDBOMB0GA1UdDgQWBBT6dAJ3K/gl
        j4Kuyb6x4la0thoAHTAfBgNVHSMEGDAWgBT6dAJ3K/glj4Kuyb6x4la0thoAHTAM
        BgNVHRMBAf8EAjAAMA0GCSqGSIb3DQEBCwUAA4IBAQCFm1L82XqtPCStSCZivajA
        cTRoir6+YsQR6UqjrSp3c4KOZ2xQE6FjZ7bNvFqIJLuVnHX15Objw8NWeOettnBI
        Lt+2iDcCdtA1yXkvvAHzlClzK+knBJh2mhC6QWrvXJsSwtNTb+XlWwl9eO3r69iH
        6X9AsEsLS7Ya1wK0WSUgQTgy/aDjqjHRZ9kFe0MyLYPdFJbadRduBgLq+xsSaBEV
        9Wq7gRPca75vUwc/KijGqfzZBvMgUQ5iDDYThZzSKw2oKpfkmGkbbVkZ2chLaon7
        0F9VsP+NKh5C32vd/zZHQJgV4RyADBFDp5zlX0LtZ+MQaD6ghJmsRwPPNZz2Ng97
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDZgSr8kqAYiPYu
        WzEFfQmgQvFaoGfh/uO0UzyaUietqbplWKfm1BRFqQSA9Slg8DkpA9Fk7gW61YFX
        OonwxDVqj6W1HGUVwftsnigFdLABGV1BJxuZBREZNJSEFulIeJjPbu/VJnwLuGX/
        cMb4j1ecMBcZWNtw6AfGGsgUfzZK3vlGH/ub0j09fAm6uiAaFO8SWJdB8ILQ72QH
        kiiE8UoDJClfQNhCa729ZLjOSQqpLHwDeS+6+3aFoxuNjo7WqEgL1jfFWGdm4l3F
        zIfROKuGIzyKHwlM48nChAXNkwfdwWDVGdkHxW8HQhECZebxjUH6btlQLRerDgae
        QoSMhooRAgMBAAECggEAAXWpC/1D6JMKuLCEX+Z0T3udH2zFWOWBmHuY6lEA0sNT
        BkxJApCLx+F+ST51iTpmqv+YKSNu+gKZL2erw053X7N+ri92ZWX7qCfx85w4p7+i
        BsaBArVFy+bn1D1/HuBh572opSqKWV3JOXFqGs+2pWXhODQgQBEejdX7xiXWzG8D
        2hU4xXK8CQuIrj/ci+bwUv5PzhOEDIRVE4Wj9SbWLDwrxamQp635NAyh8AxlujXT
        hjaLhVsMn4KgIbo25r6R+yUCxgTM7h2DHsUV4bj9Q6EqQzo/eDFZL+WyWGTfgUu/
        x/wuYsq/Kr9Ye3U6IQmB93LU62iCGYGl499RV9O8TQKBgQD+uomT+N5U7vHC4NJ5
        FU+LyD2VEU1mEiLa4rMl4GuFqHdpMYU2In+nij0ci1XACzHDJnk1k99F9LQp8KUr
        fuuhDCqdFePwsG/qvjYmozAKuR9Lm+RrIEugvhliLTOpsM/8tD8pBqduLf6lqlHt
        ex+Z6jtaFKL+JPxbAbOETIzAlwKBgQDalxHkKVowYWrjNVNXD8fvB2C+NbBtZyXy
        lfXIFvaeXFZdje35LaSPBuVCsKcNfnUdMQMoqSosDKfnvrQrQP54mRyxQMIG4qkk
        +5fc7QgrjvLGNcLEzQGHZ44BSfsTVnja6VhvLQuiJa74jiXpArBcawHOQZOzEZEI
        NYZ+XHO3lwKBgQC85OlW4KtGwnZndD6/6ay2VIROQalqsrJELO56fQRe9kGusTk+
        nrCZNisBOtYY9nQtah9iOsjMYJ0lqL1jFth28cW7/VqtxrkHk4wmdMcQfJ0XfYAS
        bL2Ics/x/OEdye9CTwuzSarpSpRWl4nvmGkjww3GTB1eZ2D3v7g2uGl7+wKBgQCt
        iFkPxTRwTCZLEj6DU2fp/vVyi7TwZX7ewuZIXtKSjcOSqeZOd0m4skS3WP6F2+ql
        rg9P7FwqdDGn7OGjpQlgPE1m+n4OcUrOrV22agaebfGWIX/qNMYN9MvrggvtIiz3
        vWATgrNFmpz5ff/ip9vSwrDASZc0BbIZzkRjdIn5KQKBgQDA0fldxFgx1bP4DM2W
        2dBNrO/rKlnweGB/tEwbZYWoPWStFi+pCI4za0aLl52ysH3kHRMUutgkMlbBG2Wj
        uQoLTCLnHYIbrLANvxrmuY/1zuE/YzuHYvYpGqKuNRG3nVLIlc9nELquaLR8KXbC
        9CcjdkBdkGfvvwK+GhWPAN8Ayg==
        -----END PRIVATE KEY-----
        """
}
