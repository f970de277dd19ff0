import { proxyBase } from '@mortise/providers'
import type { AddressGuard } from '../../../kernel/net/index.ts'
import type { ConnectionHandle } from '../calls/index.ts'

/** URL that the paths of requests are appended to. */
export interface Base {
  origin: string
  /** Without a trailing slash; empty for a root. */
  path: string
}

/**
 * Returns a function that builds the base of a connection's provider or module. It validates each base once per state
 * of the connection.
 *
 * @throws InvalidInputs, UrlRefused
 */
export function createBaseOf(guard: AddressGuard): (handle: ConnectionHandle, module: string | undefined) => Base {
  const known = new WeakMap<object, Map<string, Base>>()
  return (handle, module = '') => {
    const bases = known.get(handle.context) ?? new Map<string, Base>()
    known.set(handle.context, bases)
    const base = bases.get(module) ?? makeBase(guard, handle, module)
    bases.set(module, base)
    return base
  }
}

function makeBase(guard: AddressGuard, { entry, context }: ConnectionHandle, module: string): Base {
  const url = guard.assertUrlAllowed(proxyBase(entry, context, module === '' ? undefined : module))
  return { origin: url.origin, path: url.pathname.replace(/(?<!\/)\/+$/, '') }
}

/**
 * Appends path and query to a base. A path that already begins with the base's path stays as it is, because callers
 * copy whole URLs.
 */
export function behind(base: Base, path: string): string {
  if (base.path === '') return path
  const next = path[base.path.length]
  const includesBase = path.startsWith(base.path) && (next === undefined || next === '/' || next === '?')
  return includesBase ? path : base.path + path
}
