"""Where pages come from: the web, archives, folders and files. Everything is streamed; bad records become rejections."""
