// Lambdazip packs a Lambda function's executable into the zip archive that AWS
// Lambda takes:
//
//	lambdazip build/lock.zip build/lock/bootstrap
//
// The same executable gives the same bytes, whenever and by whomever the
// archive is made, so that an unchanged function is seen to be unchanged.
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: lambdazip ARCHIVE EXECUTABLE")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "lambdazip:", err)
		os.Exit(1)
	}
}

func pack(archive, executable string) error {
	program, err := os.ReadFile(executable)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := write(&packed, filepath.Base(executable), program); err != nil {
		return err
	}
	return os.WriteFile(archive, packed.Bytes(), 0o644)
}

// write makes an archive of one executable file.
func write(w io.Writer, name string, program []byte) error {
	header := &zip.FileHeader{
		Name:   name,
		Method: zip.Deflate,
		// The earliest time that the format can hold; the file's own would make
		// every build a new archive.
		Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	header.SetMode(0o755) // Lambda runs the file as it is unpacked
	archive := zip.NewWriter(w)
	entry, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	if _, err := entry.Write(program); err != nil {
		return err
	}
	return archive.Close()
}
