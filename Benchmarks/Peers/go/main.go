// Go's net/http: NAME work url count concurrency [--file F] [--ca F]
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type client struct {
	work, file string
	urls       []string
	http       *http.Client
}

type outcome struct {
	Requests int     `json:"requests"`
	Bytes    int64   `json:"bytes"`
	Wall     float64 `json:"wall"`
	CPU      float64 `json:"cpu"`
	Errors   int     `json:"errors"`
	P99      float64 `json:"p99"`
	Error    string  `json:"error,omitempty"`
}

// A small answer is collected, a large one thrown away as it comes.
func (c *client) request(number int) (int64, error) {
	url := c.urls[number%len(c.urls)]
	if c.work == "upload" {
		return c.upload(url)
	}
	response, err := c.http.Get(url)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return 0, errors.New(response.Status)
	}
	if c.work == "download" {
		piece := make([]byte, 256<<10)
		var bytes int64
		for {
			n, err := response.Body.Read(piece)
			bytes += int64(n)
			if err == io.EOF {
				return bytes, nil
			}
			if err != nil {
				return bytes, err
			}
		}
	}
	body, err := io.ReadAll(response.Body)
	return int64(len(body)), err
}

func (c *client) upload(url string) (int64, error) {
	file, err := os.Open(c.file)
	if err != nil {
		return 0, err
	}
	about, err := file.Stat()
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequest("PUT", url, file)
	if err != nil {
		return 0, err
	}
	request.ContentLength = about.Size()
	response, err := c.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return 0, errors.New(response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return about.Size(), err
}

func (c *client) run(count, concurrency int) outcome {
	var lock sync.Mutex
	var all sync.WaitGroup
	result := outcome{Requests: count}
	ends := make([]float64, 0, concurrency)
	start, used := time.Now(), cpu()
	for caller := 0; caller < concurrency; caller++ {
		share := count / concurrency
		if caller < count%concurrency {
			share++
		}
		all.Add(1)
		go func(caller, share int) {
			defer all.Done()
			var bytes int64
			var failed []error
			for i := 0; i < share; i++ {
				n, err := c.request(caller)
				bytes += n
				if err != nil {
					failed = append(failed, err)
				}
			}
			end := time.Since(start).Seconds()
			lock.Lock()
			defer lock.Unlock()
			result.Bytes += bytes
			result.Errors += len(failed)
			if len(failed) > 0 && result.Error == "" {
				result.Error = failed[0].Error()
			}
			ends = append(ends, end)
		}(caller, share)
	}
	all.Wait()
	result.Wall, result.CPU = time.Since(start).Seconds(), cpu()-used
	sort.Float64s(ends)
	result.P99 = ends[(len(ends)*99+99)/100-1]
	return result
}

func cpu() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func leave(problem interface{}) {
	fmt.Fprintln(os.Stderr, problem)
	os.Exit(64)
}

func main() {
	if len(os.Args) < 5 {
		leave("usage: NAME work url count concurrency [--file F] [--ca F]")
	}
	count, _ := strconv.Atoi(os.Args[3])
	concurrency, _ := strconv.Atoi(os.Args[4])
	if count < 1 || concurrency < 1 {
		leave("count and concurrency are 1 or more")
	}
	transport := &http.Transport{
		MaxIdleConns: 2 * concurrency, MaxIdleConnsPerHost: concurrency, MaxConnsPerHost: concurrency,
		DisableCompression: true,
	}
	c := &client{work: os.Args[1], http: &http.Client{Transport: transport}, urls: []string{os.Args[2]}}
	for i := 5; i+1 < len(os.Args); i += 2 {
		switch os.Args[i] {
		case "--file":
			c.file = os.Args[i+1]
		case "--ca":
			pem, err := os.ReadFile(os.Args[i+1])
			if err != nil {
				leave(err)
			}
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(pem)
			transport.TLSClientConfig = &tls.Config{RootCAs: roots}
		}
	}
	if strings.Contains(os.Args[2], "{}") {
		c.urls = nil
		for n := 0; n < 1000; n++ {
			address := fmt.Sprintf("%d.%d", 1+n/250, 1+n%250)
			c.urls = append(c.urls, strings.Replace(os.Args[2], "{}", address, 1))
		}
	}
	if count > concurrency {
		c.run(concurrency, concurrency)
	}
	line, _ := json.Marshal(c.run(count, concurrency))
	fmt.Println(string(line))
}
