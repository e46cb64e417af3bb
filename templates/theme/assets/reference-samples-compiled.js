import { indent, quoteCSharp, quoteGo, quoteJava, quoteKotlin, quoteRust, quoteSwift } from './reference-quoting.js';
import { allHeaders, FILE } from './reference-samples-scripts.js';

// A request for languages that are compiled; each sample is a whole program.

const BOUNDARY = 'sample-boundary';

export function go(request) {
  const q = quoteGo;
  const { method, url, basic, payload } = request;
  const packages = new Set(['fmt', 'io', 'net/http']);
  const lines = [];
  let body = 'nil';
  if (payload?.kind === 'file') {
    packages.add('os');
    lines.push(`body, _ := os.Open(${q(FILE)})`);
    body = 'body';
  } else if (payload?.kind === 'multipart') {
    for (const name of ['bytes', 'mime/multipart', 'net/textproto']) packages.add(name);
    lines.push('body := &bytes.Buffer{}', 'form := multipart.NewWriter(body)', 'var part io.Writer');
    for (const one of payload.parts) lines.push(...goPart(one, packages));
    lines.push('form.Close()');
    body = 'body';
  } else if (payload) {
    packages.add('strings');
    lines.push(`body := strings.NewReader(${q(payload.text)})`);
    body = 'body';
  }
  lines.push(`request, _ := http.NewRequest(${q(method)}, ${q(url)}, ${body})`);
  for (const [name, value] of allHeaders(request)) lines.push(`request.Header.Set(${q(name)}, ${q(value)})`);
  if (payload?.kind === 'multipart') lines.push('request.Header.Set("Content-Type", form.FormDataContentType())');
  if (basic) lines.push(`request.SetBasicAuth(${basic.map(q).join(', ')})`);
  lines.push('response, err := http.DefaultClient.Do(request)', 'if err != nil {', '\tpanic(err)', '}');
  lines.push('defer response.Body.Close()', 'answer, _ := io.ReadAll(response.Body)', 'fmt.Println(response.Status, string(answer))');
  const imports = [...packages].sort().map((name) => `\t"${name}"\n`).join('');
  return `package main\n\nimport (\n${imports})\n\nfunc main() {\n${lines.map((line) => `\t${line}\n`).join('')}}`;
}

function goPart({ name, value, file, type }, packages) {
  const q = quoteGo;
  const header = [`"Content-Disposition": {${q(disposition(name, file !== undefined))}}`];
  if (type) header.push(`"Content-Type": {${q(type)}}`);
  const start = `part, _ = form.CreatePart(textproto.MIMEHeader{${header.join(', ')}})`;
  if (file === undefined) return [start, `io.WriteString(part, ${q(value)})`];
  packages.add('os');
  return [start, '{', `\tfile, _ := os.Open(${q(FILE)})`, '\tio.Copy(part, file)', '}'];
}

function disposition(name, isFile) {
  const named = name.replace(/["\r\n]/g, encodeURIComponent);
  return `form-data; name="${named}"${isFile ? '; filename="file"' : ''}`;
}

/** Parts of a body that is put together by hand: text in quotes, or null for the file. */
function pieces(payload) {
  const found = payload.parts.flatMap(({ name, value, file, type }) => {
    const typed = type || (file === undefined ? '' : 'application/octet-stream');
    const head = `--${BOUNDARY}\r\nContent-Disposition: ${disposition(name, file !== undefined)}\r\n${typed ? `Content-Type: ${typed}\r\n` : ''}\r\n`;
    return file === undefined ? [`${head}${value}\r\n`] : [head, null, '\r\n'];
  });
  return [...found, `--${BOUNDARY}--\r\n`];
}

export function java(request) {
  const q = quoteJava;
  const { method, url, basic, payload } = request;
  const lines = [];
  if (payload?.kind === 'multipart') {
    lines.push('var body = new ByteArrayOutputStream();');
    for (const piece of pieces(payload)) {
      lines.push(piece === null ? `body.write(Files.readAllBytes(Path.of(${q(FILE)})));` : `body.write(${q(piece)}.getBytes(StandardCharsets.UTF_8));`);
    }
  }
  lines.push(`var request = HttpRequest.newBuilder(URI.create(${q(strict(url))}))`);
  lines.push(`    .method(${q(method)}, ${javaBody(payload, q)})`);
  for (const [name, value] of withBoundary(request)) lines.push(`    .header(${q(name)}, ${q(value)})`);
  if (basic) lines.push(`    .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(${q(basic.join(':'))}.getBytes()))`);
  lines.push('    .build();', 'var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());');
  lines.push('System.out.println(response.statusCode() + " " + response.body());');
  const imports = ['java.net.URI', 'java.net.http.*'];
  if (payload?.kind === 'multipart') imports.push('java.io.ByteArrayOutputStream', 'java.nio.charset.StandardCharsets');
  if (payload?.kind === 'file' || payload?.kind === 'multipart') imports.push('java.nio.file.*');
  if (basic) imports.push('java.util.Base64');
  const head = imports.sort().map((name) => `import ${name};\n`).join('');
  return `${head}\npublic class Sample {\n  public static void main(String[] args) throws Exception {\n${indent(lines.join('\n'), 4)}\n  }\n}`;
}

function javaBody(payload, q) {
  const publisher = 'HttpRequest.BodyPublishers';
  if (payload === null) return `${publisher}.noBody()`;
  if (payload.kind === 'file') return `${publisher}.ofFile(Path.of(${q(FILE)}))`;
  return payload.kind === 'multipart' ? `${publisher}.ofByteArray(body.toByteArray())` : `${publisher}.ofString(${q(payload.text)})`;
}

const withBoundary = (request) => {
  const isMultipart = request.payload?.kind === 'multipart';
  return isMultipart ? [...allHeaders(request), ['Content-Type', `multipart/form-data; boundary=${BOUNDARY}`]] : allHeaders(request);
};

/** Java and Swift take no address with brackets or braces in it. */
function strict(url) {
  // An address of IPv6 keeps its own.
  const path = url.indexOf('/', 'https://'.length);
  return path < 0 ? url : url.slice(0, path) + url.slice(path).replace(/[[\]{}]/g, encodeURIComponent);
}

export function kotlin(request) {
  const q = quoteKotlin;
  const { method, url, basic, payload } = request;
  const lines = [];
  const content = request.headers.find(([name]) => name === 'Content-Type')?.[1] ?? '';
  let body = ['POST', 'PUT', 'PATCH'].includes(method) ? '"".toRequestBody()' : 'null';
  if (payload?.kind === 'multipart') {
    lines.push('val body = MultipartBody.Builder().setType(MultipartBody.FORM)');
    for (const { name, value, file, type } of payload.parts) {
      const typed = type ? `${q(type)}.toMediaType()` : 'null';
      const filled = file === undefined ? `null, ${q(value)}.toRequestBody(${typed})` : `"file", File(${q(FILE)}).asRequestBody(${typed})`;
      lines.push(`    .addFormDataPart(${q(name)}, ${filled})`);
    }
    lines.push('    .build()');
    body = 'body';
  } else if (payload?.kind === 'file') body = `File(${q(FILE)}).asRequestBody(${q(content)}.toMediaTypeOrNull())`;
  else if (payload) body = `${q(payload.text)}.toRequestBody(${q(content)}.toMediaTypeOrNull())`;
  lines.push('val request = Request.Builder()', `    .url(${q(url)})`, `    .method(${q(method)}, ${body})`);
  for (const [name, value] of allHeaders(request)) lines.push(`    .header(${q(name)}, ${q(value)})`);
  if (basic) lines.push(`    .header("Authorization", Credentials.basic(${basic.map(q).join(', ')}))`);
  lines.push('    .build()', 'OkHttpClient().newCall(request).execute().use { println("${it.code} ${it.body?.string()}") }');
  const imports = ['java.io.File', 'okhttp3.*', 'okhttp3.MediaType.Companion.toMediaType', 'okhttp3.MediaType.Companion.toMediaTypeOrNull'];
  imports.push('okhttp3.RequestBody.Companion.asRequestBody', 'okhttp3.RequestBody.Companion.toRequestBody');
  return `${imports.map((name) => `import ${name}\n`).join('')}\nfun main() {\n${indent(lines.join('\n'), 4)}\n}`;
}

export function cSharp(request) {
  const q = quoteCSharp;
  const { method, url, basic, payload } = request;
  const lines = ['using System.Net.Http.Headers;', 'using System.Text;', '', 'using var client = new HttpClient();'];
  lines.push(`using var request = new HttpRequestMessage(new HttpMethod(${q(method)}), ${q(url)});`);
  for (const [name, value] of allHeaders(request)) {
    if (name !== 'Content-Type') lines.push(`request.Headers.TryAddWithoutValidation(${q(name)}, ${q(value)});`);
  }
  if (basic) {
    lines.push(`var login = Convert.ToBase64String(Encoding.UTF8.GetBytes(${q(basic.join(':'))}));`);
    lines.push('request.Headers.Authorization = new AuthenticationHeaderValue("Basic", login);');
  }
  if (payload?.kind === 'multipart') {
    lines.push('var form = new MultipartFormDataContent();', ...payload.parts.flatMap(cSharpPart), 'request.Content = form;');
  } else if (payload) {
    const made = payload.kind === 'file' ? `StreamContent(File.OpenRead(${q(FILE)}))` : `StringContent(${q(payload.text)})`;
    lines.push(`request.Content = new ${made};`, `request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(${q(payload.type)});`);
  }
  lines.push('using var response = await client.SendAsync(request);');
  lines.push('Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");');
  return lines.join('\n');
}

function cSharpPart({ name, value, file, type }, number) {
  const q = quoteCSharp;
  const made = file === undefined ? `StringContent(${q(value)})` : `StreamContent(File.OpenRead(${q(FILE)}))`;
  const part = `part${number + 1}`;
  const lines = [`var ${part} = new ${made};`];
  if (type) lines.push(`${part}.Headers.ContentType = MediaTypeHeaderValue.Parse(${q(type)});`);
  return [...lines, `form.Add(${part}, ${q(name)}${file === undefined ? '' : ', "file"'});`];
}

export function swift(request) {
  const q = quoteSwift;
  const { method, url, basic, payload } = request;
  const lines = ['import Foundation', '#if canImport(FoundationNetworking)', 'import FoundationNetworking', '#endif', ''];
  lines.push(`var request = URLRequest(url: URL(string: ${q(strict(url))})!)`, `request.httpMethod = ${q(method)}`);
  for (const [name, value] of withBoundary(request)) lines.push(`request.setValue(${q(value)}, forHTTPHeaderField: ${q(name)})`);
  if (basic) {
    lines.push(`let login = Data(${q(basic.join(':'))}.utf8).base64EncodedString()`);
    lines.push('request.setValue("Basic " + login, forHTTPHeaderField: "Authorization")');
  }
  const file = `try Data(contentsOf: URL(fileURLWithPath: ${q(FILE)}))`;
  if (payload?.kind === 'multipart') {
    lines.push('var body = Data()');
    for (const piece of pieces(payload)) lines.push(`body.append(${piece === null ? file : `Data(${q(piece)}.utf8)`})`);
    lines.push('request.httpBody = body');
  } else if (payload) lines.push(`request.httpBody = ${payload.kind === 'file' ? file : `Data(${q(payload.text)}.utf8)`}`);
  lines.push('let (data, response) = try await URLSession.shared.data(for: request)');
  return [...lines, 'print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))'].join('\n');
}

export function rust(request) {
  const q = quoteRust;
  const { method, url, basic, payload } = request;
  const lines = [];
  const parts = payload?.kind === 'multipart' ? payload.parts : [];
  if (payload?.kind === 'multipart') {
    lines.push('let form = reqwest::blocking::multipart::Form::new()');
    for (const { name, value, file, type } of parts) {
      const made = file === undefined ? `text(${q(value)})` : `file(${q(FILE)})?`;
      const part = `reqwest::blocking::multipart::Part::${made}${type ? `.mime_str(${q(type)})?` : ''}`;
      lines.push(`    .part(${q(name)}, ${part})`);
    }
    lines.push('    ;');
  }
  lines.push('let response = reqwest::blocking::Client::new()', `    .request(reqwest::Method::from_bytes(${q(method)}.as_bytes())?, ${q(url)})`);
  for (const [name, value] of allHeaders(request)) lines.push(`    .header(${q(name)}, ${q(value)})`);
  if (basic) lines.push(`    .basic_auth(${q(basic[0])}, Some(${q(basic[1])}))`);
  if (payload?.kind === 'multipart') lines.push('    .multipart(form)');
  else if (payload?.kind === 'file') lines.push(`    .body(std::fs::File::open(${q(FILE)})?)`);
  else if (payload) lines.push(`    .body(${q(payload.text)})`);
  lines.push('    .send()?;', 'println!("{} {}", response.status(), response.text()?);', 'Ok(())');
  return `fn main() -> Result<(), Box<dyn std::error::Error>> {\n${indent(lines.join('\n'), 4)}\n}`.replace(/\)\n\s+;/, ');');
}
