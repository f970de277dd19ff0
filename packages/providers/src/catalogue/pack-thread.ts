import { parentPort } from 'node:worker_threads'
import { compileCatalogue } from './compile-catalogue.ts'
import type { PackRequest } from './pack-apart.ts'
import { packCatalogue } from './pack-catalogue.ts'

/** The thread of `pack-apart.ts`: responds to each request with the packed catalog. */
parentPort?.on('message', ({ sources, beneath, key }: PackRequest) => {
  parentPort?.postMessage(packCatalogue(compileCatalogue(sources, beneath), key))
})
