/// The help text beyond the options; ArgumentParser wraps its lines at 80 columns.
enum HelpText {
    /// The help of `tern` without arguments and of `tern -h`, for a first look.
    static let brief: String = shortText(withPage: PageCommand.isInstalled)

    /// The text above the options of `tern --help`.
    static let discussion: String = longText(withPage: PageCommand.isInstalled)

    /// - Parameter hasPage: whether `tern page` can do its work.
    private static func shortText(withPage hasPage: Bool) -> String {
        """
        tern sends HTTP requests and shows what comes back.

          tern [options] [METHOD] URL [ITEM ...]
          tern COMMAND [options]

        Examples:
          tern example.com/search q==terns               a query
          tern POST example.com/users name=Ada age:=36   fields as JSON; -f as a form
          tern -d a=1 -H X-Test:1 -o out.txt example.com options as curl has them
          tern -v --timeline https://example.com         the exchange and its timing
          tern download https://example.com/big.iso      a file, resumed if interrupted

        Often used: -a USER:PASSWORD for credentials, -i for head and body, -O to save
        under the URL's name, -s without progress, --session NAME to keep cookies, and
        --fail to exit with 22 for a status of 400 and up. Redirects are followed.

        Commands: download, upload, events, ws, transfers, \(hasPage ? "page, " : "")cookies, cache,
        network, cert, har, serve, demo, bench; tern COMMAND --help explains one.
        tern --help lists all options, items and exit statuses.
        """
    }

    /// - Parameter hasPage: whether `tern page` can do its work.
    private static func longText(withPage hasPage: Bool) -> String {
        """
        Without a scheme the URL is http; :8080/path is on localhost. The METHOD is
        guessed if it is missing: POST with a body, else GET.

        ITEMS:
          name==value     a field of the query
          name=value      a text field of the body
          name:=json      a field of JSON
          name=@file      a field with the text of a file
          name:=@file     a field with the JSON of a file
          a[b]=value      a member of a member; a[]=value appends to an array
          Name:value      a header field; Name: removes one, Name; sends it empty
          name@file       a file as a part of a form; name@file;type=text/csv
          @file           the file as the whole body
        Fields go as JSON unless --form, --multipart or --plist says otherwise. --style
        chooses how forms and queries are written; :=json then becomes arrays and
        members in it. A backslash makes a separator literal, as in a\\:b=value.
        Standard input is the body with a method that has one, an item or --json, if
        it is a pipe or a file, or with @-; with fields, too, add --ignore-stdin.
        Several URLs, and {a,b} or [1-9] in a URL, are several requests with the same
        options. --fail, -f without fields, exits with 22; -f with fields is --form.

        Cookies that a redirect sets are sent on; the command forgets them at its end
        unless --cookie-jar or --session keeps them. Sessions are files in
        ~/.config/tern/sessions, for one host each, with secrets that only you can
        read. What they keep is sent to the origin it was given for; what the command
        line gives replaces it. Content-*, If-*, and cookies given by hand are not kept.

        --cache keeps responses in a folder and answers from it by HTTP's rules; those
        of one session, one file of cookies or one Authorization are served to no
        other. --offline sends nothing, and --print c says what the cache did and why;
        without --cache, --offline prints the request.

        COMMANDS:
          tern download   save files; continue interrupted downloads
          tern upload     send a file
          tern events     show a server's events as they come
          tern ws         send lines to a WebSocket, show its messages
          tern transfers  downloads and uploads that resume after a crash
        \(hasPage ? "  tern page       save a web page with its resources\n" : "")  tern cookies    show, remove and convert kept cookies
          tern cache      list, show and remove stored responses
          tern network    show whether the network can be reached, and over what
          tern cert       show a server's certificates and pins
          tern har        show, replay and export recorded exchanges
          tern serve      run the test server
          tern demo       watch the library at work, against a local test server
          tern bench      measure requests

        EXIT STATUS:
          0  done                     26  a file cannot be read
          2  wrong usage              28  timed out
          3  not a URL                35  TLS failed
          6  host not found           47  redirects: too many, or refused
          7  no connection            56  no valid response
         18  response truncated       58  client certificate unusable
         22  status 400 and up        60  certificate not trusted
             (with --fail), or        61  content coding broken
             nothing stored           63  --max-filesize exceeded
         23  cannot write output      77  no root certificates
         55  cannot send              90  no pin matches
        130  interrupted              94  credentials cannot be sent
          1  anything else            97  the proxy refused
        100-129  tern ws: the close code of an error
        With --check-status 3, 4 and 5 stand for 3xx (--no-follow), 4xx and 5xx.
        """
    }
}
