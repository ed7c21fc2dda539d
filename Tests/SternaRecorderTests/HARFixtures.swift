/// Documents in the style of the programs that write them.
enum HARFixtures {
    /// Chromium: custom members, pseudo-header fields, no comments, -1 for phases that did not take place, an aborted request, a
    /// WebSocket, an event stream, and content in base64.
    static let chromium = #"""
        {
          "log": {
            "version": "1.2",
            "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [{
              "startedDateTime": "2026-11-30T09:00:00.000Z", "id": "page_1", "title": "https://nests.example/",
              "pageTimings": {"onContentLoad": 120.5, "onLoad": null}
            }],
            "entries": [
              {
                "_connectionId": "31", "_initiator": {"type": "other"}, "_priority": "VeryHigh", "_resourceType": "document",
                "cache": {}, "connection": "31", "pageref": "page_1",
                "request": {
                  "method": "GET", "url": "https://nests.example/list?kind=tern&year=2026", "httpVersion": "http/2.0",
                  "headers": [
                    {"name": ":authority", "value": "nests.example"}, {"name": ":method", "value": "GET"},
                    {"name": ":path", "value": "/list?kind=tern&year=2026"}, {"name": "accept", "value": "text/html"}
                  ],
                  "queryString": [{"name": "kind", "value": "tern"}, {"name": "year", "value": "2026"}],
                  "cookies": [], "headersSize": -1, "bodySize": 0
                },
                "response": {
                  "status": 200, "statusText": "", "httpVersion": "http/2.0",
                  "headers": [
                    {"name": "content-type", "value": "text/html; charset=utf-8"},
                    {"name": "content-encoding", "value": "br"}, {"name": "content-length", "value": "9"},
                    {"name": "set-cookie", "value": "a=1\nb=2; Path=/"}
                  ],
                  "cookies": [], "content": {"size": 12, "mimeType": "text/html", "text": "<p>nests</p>"},
                  "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 211, "_error": null
                },
                "serverIPAddress": "[2001:db8::7]", "startedDateTime": "2026-11-30T09:00:00.250Z", "time": 41.25,
                "timings": {
                  "blocked": 1.25, "dns": 2, "ssl": 8, "connect": 20, "send": 0.5, "wait": 15, "receive": 2.5,
                  "_blocked_queueing": 0.75
                }
              },
              {
                "_resourceType": "image", "cache": {}, "pageref": "page_1",
                "request": {
                  "method": "GET", "url": "https://nests.example/dot.png", "httpVersion": "http/2.0", "headers": [],
                  "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0
                },
                "response": {
                  "status": 200, "statusText": "", "httpVersion": "http/2.0",
                  "headers": [{"name": "content-type", "value": "image/png"}], "cookies": [],
                  "content": {"size": 4, "mimeType": "image/png", "text": "iVBORw==", "encoding": "base64"},
                  "redirectURL": "", "headersSize": -1, "bodySize": 4
                },
                "serverIPAddress": "", "startedDateTime": "2026-11-30T09:00:00.300Z", "time": 3,
                "timings": {"blocked": -1, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 2, "receive": 1}
              },
              {
                "_resourceType": "fetch", "cache": {},
                "request": {
                  "method": "GET", "url": "https://gone.example/", "httpVersion": "", "headers": [], "queryString": [],
                  "cookies": [], "headersSize": -1, "bodySize": 0
                },
                "response": {
                  "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
                  "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1, "bodySize": -1,
                  "_transferSize": 0, "_error": "net::ERR_NAME_NOT_RESOLVED"
                },
                "startedDateTime": "2026-11-30T09:00:00.310Z", "time": 7,
                "timings": {"blocked": 7, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0, "receive": 0}
              },
              {
                "_resourceType": "websocket", "cache": {},
                "_webSocketMessages": [
                  {"type": "send", "time": 1796029200.5, "opcode": 1, "data": "hello"},
                  {"type": "receive", "time": 1796029200.6, "opcode": 1, "data": "welcome"},
                  {"type": "receive", "time": 1796029200.7, "opcode": 2, "data": "AAEC"}
                ],
                "request": {
                  "method": "GET", "url": "wss://nests.example/live", "httpVersion": "HTTP/1.1", "headers": [],
                  "queryString": [], "cookies": [], "headersSize": 300, "bodySize": 0
                },
                "response": {
                  "status": 101, "statusText": "Switching Protocols", "httpVersion": "HTTP/1.1", "headers": [],
                  "cookies": [], "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": 120,
                  "bodySize": 0
                },
                "startedDateTime": "2026-11-30T09:00:00.400Z", "time": 900,
                "timings": {"blocked": -1, "dns": -1, "connect": -1, "send": 0, "wait": 900, "receive": 0}
              },
              {
                "_resourceType": "eventsource", "cache": {},
                "_eventSourceMessages": [
                  {"time": 1796029201.5, "eventName": "price", "eventId": "7", "data": "{\"tern\":3}"}
                ],
                "request": {
                  "method": "GET", "url": "https://nests.example/prices", "httpVersion": "http/2.0", "headers": [],
                  "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0
                },
                "response": {
                  "status": 200, "statusText": "", "httpVersion": "http/2.0",
                  "headers": [{"name": "content-type", "value": "text/event-stream"}], "cookies": [],
                  "content": {"size": 40, "mimeType": "text/event-stream"}, "redirectURL": "", "headersSize": -1,
                  "bodySize": -1
                },
                "startedDateTime": "2026-11-30T09:00:01.000Z", "time": 1000,
                "timings": {"blocked": 0, "dns": -1, "connect": -1, "send": 0, "wait": 10, "receive": 990}
              }
            ]
          }
        }
        """#

    /// Firefox: a local offset, a browser, comments, params beside the text of a form, and cookies as objects.
    static let firefox = #"""
        {
          "log": {
            "version": "1.2", "creator": {"name": "Firefox", "version": "128.5"},
            "browser": {"name": "Firefox", "version": "128.5", "comment": "nightly"},
            "pages": [{"id": "page_1", "pageTimings": {"onContentLoad": -1, "onLoad": -1}, "startedDateTime": "2026-11-30T10:00:00.123+01:00", "title": ""}],
            "comment": "exported",
            "entries": [{
              "startedDateTime": "2026-11-30T10:00:00.123+01:00",
              "request": {
                "bodySize": 17, "method": "POST", "url": "http://shop.example/cart", "httpVersion": "HTTP/1.1",
                "headers": [
                  {"name": "Host", "value": "shop.example"},
                  {"name": "Content-Type", "value": "application/x-www-form-urlencoded"},
                  {"name": "Content-Length", "value": "17"}, {"name": "Connection", "value": "keep-alive"}
                ],
                "cookies": [{"name": "basket", "value": "12"}], "queryString": [], "headersSize": 210,
                "postData": {
                  "mimeType": "application/x-www-form-urlencoded",
                  "params": [{"name": "item", "value": "egg"}, {"name": "count", "value": "2"}], "text": "item=egg&count=2x"
                }
              },
              "response": {
                "status": 303, "statusText": "See Other", "httpVersion": "HTTP/1.1",
                "headers": [{"name": "Location", "value": "http://shop.example/cart/7"}],
                "cookies": [], "content": {"mimeType": "text/plain", "size": 0, "comment": "Response bodies are not included."},
                "redirectURL": "http://shop.example/cart/7", "headersSize": 99, "bodySize": 99
              },
              "cache": {}, "timings": {"blocked": 0, "dns": 1, "connect": 2, "ssl": 0, "send": 0, "wait": 5, "receive": 0},
              "time": 8, "_securityState": "insecure", "serverIPAddress": "192.0.2.7", "connection": "80", "pageref": "page_1"
            }]
          }
        }
        """#

    /// Firefox 153, as it writes documents by itself: the response's bodySize has the head in it, the size of coded content is that before
    /// decoding, the size of a text in a request is its length in characters, and the type beside it has no charset.
    static let firefox153 = #"""
        {
          "log": {
            "version": "1.2", "creator": {"name": "Firefox", "version": "153.8.0"}, "browser": {"name": "Firefox", "version": "153.8.0"},
            "pages": [{"id": "page_1", "pageTimings": {"onContentLoad": -1, "onLoad": -1}, "startedDateTime": "2026-11-30T09:00:00.169+00:00", "title": "http://birds.example/"}],
            "entries": [
              {
                "startedDateTime": "2026-11-30T09:00:00.346+00:00",
                "request": {
                  "bodySize": 0, "method": "GET", "url": "http://birds.example/nest.css", "httpVersion": "HTTP/1.1",
                  "headers": [{"name": "Host", "value": "birds.example"}, {"name": "Cookie", "value": "seen=1"}],
                  "cookies": [{"name": "seen", "value": "1"}], "queryString": [], "headersSize": 410
                },
                "response": {
                  "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1",
                  "headers": [
                    {"name": "Content-Type", "value": "text/css"}, {"name": "Content-Encoding", "value": "gzip"},
                    {"name": "Content-Length", "value": "30"}
                  ],
                  "cookies": [], "redirectURL": "", "headersSize": 160, "bodySize": 190,
                  "content": {"mimeType": "text/css", "size": 30, "text": "nest { }\nnest { }\nnest { }\nnest { }\nnest { }\n"}
                },
                "cache": {}, "timings": {"blocked": -1, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 1, "receive": 0},
                "time": 1, "pageref": "page_1"
              },
              {
                "startedDateTime": "2026-11-30T09:00:00.402+00:00",
                "request": {
                  "bodySize": 17, "method": "POST", "url": "http://birds.example/eggs?q=a%20b&%C3%A9=1", "httpVersion": "HTTP/1.1",
                  "headers": [
                    {"name": "Host", "value": "birds.example"}, {"name": "Content-Type", "value": "application/json;charset=UTF-8"},
                    {"name": "Content-Length", "value": "18"}
                  ],
                  "cookies": [], "queryString": [{"name": "q", "value": "a b"}, {"name": "é", "value": "1"}], "headersSize": 493,
                  "postData": {"mimeType": "application/json", "params": [], "text": "{\"bird\":\"tern é\"}"}
                },
                "response": {
                  "status": 404, "statusText": "Not Found", "httpVersion": "HTTP/1.1", "headers": [], "cookies": [],
                  "content": {"mimeType": "text/plain", "size": 4, "text": "none"}, "redirectURL": "", "headersSize": 0, "bodySize": 4
                },
                "cache": {}, "timings": {"blocked": 0, "dns": 2, "ssl": 0, "connect": 0, "send": 0, "wait": 0, "receive": 0},
                "time": 2, "pageref": "page_1"
              }
            ]
          }
        }
        """#

    /// mitmproxy: six digits of a fraction, no pages, an entry without `cache` and `queryString`, and phases of -1.0.
    static let mitmproxy = #"""
        {"log": {"version": "1.2", "creator": {"name": "mitmproxy", "version": "11.0.2", "comment": ""}, "pages": [],
        "entries": [{"startedDateTime": "2026-11-30T09:00:00.123456+00:00", "time": 30.5,
        "request": {"method": "PUT", "url": "https://api.example/birds/1", "httpVersion": "HTTP/2.0", "cookies": [],
        "headers": [{"name": "content-type", "value": "application/json"}], "headersSize": 60, "bodySize": 16,
        "postData": {"mimeType": "application/json", "text": "{\"name\": \"tern\"}", "params": []}},
        "response": {"status": 204, "statusText": "", "httpVersion": "HTTP/2.0", "cookies": [], "headers": [],
        "content": {"size": 0, "compression": 0, "mimeType": ""}, "redirectURL": "", "headersSize": 20, "bodySize": 0},
        "timings": {"connect": -1.0, "ssl": -1.0, "send": 5.5, "receive": 5, "wait": 20}}]}}
        """#
}
