import express, { type Request, type Response as ExpressResponse } from 'express';
import { MalformedRequestError, sayUnknownField, ValidationError } from '../../core/index.js';
import { bodyError, hasBody, isJson, refuseDeclaredLength } from './body.js';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../errors.js';

/** Allowance for the rest of a multipart body: other fields, and headers of parts. */
const AROUND_FILE = 64 * 1024;
/** The parser allocates an object per part, and a body could hold tens of thousands of empty ones. */
const MOST_PARTS = 16;

/** A body that the pipeline has measured but not parsed. */
export interface Upload {
  /** `json`: the bytes are the whole body; the handler finds out whether they are JSON. */
  readonly kind: 'file' | 'json';
  readonly bytes: Buffer;
}

/** A route's declaration of the file that it accepts. */
export interface UploadRule {
  /** Field of the multipart form that holds the file. */
  readonly field: string;
  /** Maximum bytes of the file. */
  readonly maxBytes: number;
  /** Also accepts a JSON body of the same size. */
  readonly orJson: boolean;
}

/**
 * Reads the body of a route that accepts a file: `multipart/form-data`, held in memory.
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError (at once if the declared length exceeds the limit),
 *   MalformedRequestError, ValidationError on the field if the form has no such file
 */
export async function readUpload(request: Request, response: ExpressResponse, rule: UploadRule): Promise<Upload> {
  const multipart = /^multipart\/form-data\s*;/i.test(request.headers['content-type'] ?? '');
  const json = !multipart && rule.orJson && (isJson(request) || !hasBody(request));
  if (!multipart && !json) throw new UnsupportedMediaTypeError();
  const body = await readBytes(request, response, rule.maxBytes + AROUND_FILE);
  if (json) return { kind: 'json', bytes: body };
  const bytes = await fileOf(body, request.headers['content-type'] ?? '', rule.field);
  if (bytes.length > rule.maxBytes) throw new PayloadTooLargeError();
  return { kind: 'file', bytes };
}

async function readBytes(request: Request, response: ExpressResponse, limit: number): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  await refuseDeclaredLength(request, limit);
  const read = express.raw({ limit, type: () => true });
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(bodyError(error)) : resolve()));
  });
  const body = request.body as unknown;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

async function fileOf(body: Buffer, contentType: string, field: string): Promise<Buffer> {
  const form = await parseForm(body, contentType);
  const value = form.get(field);
  const others = [...form.keys()].filter((name) => name !== field);
  if (others.length > 0) {
    throw new ValidationError(Object.fromEntries(others.map((name) => [name, [sayUnknownField(name, [field])]])));
  }
  if (value === null)
    throw new ValidationError({ [field]: [`${field} is required: the file, in a field of that name.`] });
  return bytesOf(value);
}

/**
 * Reads the form of a page that accepts a file.
 * @returns the text fields, each with its values, and the file; null if none was chosen
 * @throws PayloadTooLargeError, MalformedRequestError
 */
export async function readMultipart(
  request: Request,
  response: ExpressResponse,
  { field, maxBytes }: Pick<UploadRule, 'field' | 'maxBytes'>,
): Promise<{ readonly fields: Readonly<Record<string, string[]>>; readonly file: Buffer | null }> {
  const body = await readBytes(request, response, maxBytes + AROUND_FILE);
  const form = await parseForm(body, request.headers['content-type'] ?? '');
  const fields = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of form) if (typeof value === 'string') (fields[name] ??= []).push(value);
  const chosen = form.get(field);
  // Browsers send an empty file for a field that was left alone.
  if (chosen === null || typeof chosen === 'string' || chosen.size === 0) return { fields, file: null };
  if (chosen.size > maxBytes) throw new PayloadTooLargeError();
  return { fields, file: await bytesOf(chosen) };
}

async function parseForm(body: Buffer, contentType: string): Promise<FormData> {
  refuseManyParts(body, contentType);
  try {
    // Response copies the bytes, so we make no copy before.
    const parsed = new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': contentType } });
    return await parsed.formData();
  } catch (cause) {
    throw new MalformedRequestError({ cause });
  }
}

async function bytesOf(value: string | Blob): Promise<Buffer> {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(await value.arrayBuffer());
}

function refuseManyParts(body: Buffer, contentType: string): void {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const mark = boundary && Buffer.from(`--${boundary[1] ?? boundary[2]}`);
  if (!mark) throw new MalformedRequestError({ detail: 'a multipart body without a boundary' });
  let parts = 0;
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
    parts += 1;
    // The last boundary ends the body.
    if (parts > MOST_PARTS + 1) throw new MalformedRequestError({ detail: 'too many parts' });
  }
}
