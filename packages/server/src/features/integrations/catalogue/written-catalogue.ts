import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Catalogue } from '@mortise/providers'
import { providerInfo } from './provider-info.ts'

/** A response body with its entity tag. */
export interface Written {
  body: Buffer
  etag: string
  /** Returns the body with gzip: of the whole catalog, which is a seventeenth. */
  zipped?: () => Buffer
}

interface WrittenCatalogue {
  all: Written
  byName: ReadonlyMap<string, Written>
}

const writtenOf = new WeakMap<object, WrittenCatalogue>()

/** Returns the response bodies of a catalog. Serialized once per version of the catalog: all of it is about 1 MB. */
export function writtenCatalogue(catalogue: Catalogue): WrittenCatalogue {
  const known = writtenOf.get(catalogue.version)
  if (known) return known
  const infos = catalogue.list().map((entry) => [entry.name, providerInfo(entry)] as const)
  const written = {
    all: zippable(write(Object.fromEntries(infos))),
    byName: new Map(infos.map(([name, info]) => [name, write(info)])),
  }
  writtenOf.set(catalogue.version, written)
  return written
}

/** Compresses when a client first asks for it. */
function zippable(written: Written): Written {
  let zipped: Buffer | undefined
  return {
    ...written,
    zipped: () => {
      zipped ??= gzipSync(written.body)
      return zipped
    },
  }
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
