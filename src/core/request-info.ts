/** What the business may know of the request behind a call; a CLI or job gives its own. */
export interface RequestInfo {
  /** Also in the `X-Request-Id` answer header and in every log line. */
  readonly requestId: string;
  /** The client's address after the configured number of trusted proxies (S17); empty outside a request. */
  readonly ip: string;
  /** At most 255 characters, without control characters. */
  readonly userAgent: string;
}
