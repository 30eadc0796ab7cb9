"""Where pages come from: the web, archives, folders, files. All is streamed; bad records become rejections."""
