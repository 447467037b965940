// English: files of messages, results and cards.
/** @type {Record<string, string>} */
export default {
  "files.label": "Files",
  "files.file": "File",
  "files.attach": "Attach files",
  "files.attached": "Files of this message",
  "files.drop": "Remove “{name}”",
  "files.progress": "“{name}” is being sent",
  "files.sending": "{n} {n|file is|files are} being sent",
  "files.refused": "“{name}” was not taken: remove it, and the message can be sent.",
  "files.unsent": "No answer came about “{name}”.",
  "files.large": "It has {size}, but at most {most} are allowed (files.max_bytes); make it smaller or raise the setting.",
  "files.again": "Try again",
  "files.folder": "“{name}” is a folder; attach its files.",
  "files.open": "Open the picture “{name}” ({what})",
  "files.save": "Save “{name}” ({what})",
  "files.save-short": "Save",
  "files.close": "Close",
  "files.pages": "{n} {n|page|pages}",
  "files.no-answer": "No answer came. Press it to try again.",
  "files.named": "Files that it names",
};
