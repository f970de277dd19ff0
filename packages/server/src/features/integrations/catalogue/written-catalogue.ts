import { hash } from 'node:crypto'
import type { Catalogue } from '@mortise/providers'
import { providerInfo } from './provider-info.ts'

/** A response body with its entity tag. */
export interface Written {
  body: Buffer
  etag: string
}

interface WrittenCatalogue {
  all: Written
  byName: ReadonlyMap<string, Written>
}

const writtenOf = new WeakMap<object, WrittenCatalogue>()

/** Returns the response bodies of a catalog. Serialized once per version of the catalog: all of it is about 300 kB. */
export function writtenCatalogue(catalogue: Catalogue): WrittenCatalogue {
  const known = writtenOf.get(catalogue.version)
  if (known) return known
  const infos = catalogue.list().map((entry) => [entry.name, providerInfo(entry)] as const)
  const written = {
    all: write(Object.fromEntries(infos)),
    byName: new Map(infos.map(([name, info]) => [name, write(info)])),
  }
  writtenOf.set(catalogue.version, written)
  return written
}

function write(value: unknown): Written {
  const body = Buffer.from(JSON.stringify(value))
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` }
}

/** Whether `If-None-Match` names the tag (RFC 9110, 13.1.2: compared weakly, because a proxy may have weakened it). */
export function isKnown(header: string | string[] | undefined, etag: string): boolean {
  const tags = [header ?? []].flat().flatMap((list) => list.split(','))
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
