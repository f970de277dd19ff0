/**
 * Our own limit of simultaneous name look-ups is reached. It says nothing about the host: the request was not sent, and
 * may succeed a moment later.
 */
export class ResolverBusy extends Error {
  override name = 'ResolverBusy'
  readonly code = 'MORTISE_RESOLVER_BUSY'
  constructor() {
    super('too many names are being resolved')
  }
}

/** A name that has no usable address. `code` is that of `node:dns`: `ENOTFOUND`, `ETIMEOUT`, `ESERVFAIL` … */
export class NameUnresolved extends Error {
  override name = 'NameUnresolved'
  readonly code: string
  constructor(hostname: string, code: string) {
    super(`${code} ${hostname}`)
    this.code = code
  }
}
