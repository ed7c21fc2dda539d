// gorilla-echo ADDRESS: sends back the messages of WebSockets, compressed if the client offers that.
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
)

var upgrader = websocket.Upgrader{
	EnableCompression: true,
	CheckOrigin:       func(*http.Request) bool { return true },
}

func echo(w http.ResponseWriter, r *http.Request) {
	connection, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer connection.Close()
	for {
		kind, message, err := connection.ReadMessage()
		if err != nil {
			return
		}
		if err := connection.WriteMessage(kind, message); err != nil {
			return
		}
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gorilla-echo ADDRESS")
	}
	http.HandleFunc("/", echo)
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
