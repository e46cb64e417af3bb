/** What services may know about the request behind a call; CLI and jobs pass their own. */
export interface RequestInfo {
  /** Also in the `X-Request-Id` answer header and in every log line. */
  readonly requestId: string;
  /** The client's address, resolved through the configured number of trusted proxies (S17); empty outside a request. */
  readonly ip: string;
  /** At most 255 characters, without control characters. */
  readonly userAgent: string;
}
