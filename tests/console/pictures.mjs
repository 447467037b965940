// Pictures of one colour that a browser can draw, made as the tests need them.

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

const crc = (bytes) => {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
};

const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const chunk = (kind, data) => {
  const body = Buffer.concat([Buffer.from(kind), data]);
  return Buffer.concat([number(data.length), body, number(crc(body))]);
};

/** A PNG with nothing in it that is taken off when it is stored. */
export const png = (width, height, [red, green, blue]) => {
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([red, green, blue]))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)));
  const header = Buffer.concat([number(width), number(height), Buffer.from([8, 2, 0, 0, 0])]);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
};

/** A PDF of one empty page. */
export const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");

export const digestOf = (bytes) => createHash("sha256").update(bytes).digest("hex");
