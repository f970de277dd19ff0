import { parentPort, workerData } from 'node:worker_threads'
import { compileCatalogue } from './compile-catalogue.ts'
import type { PackRequest } from './pack-apart.ts'
import { packCatalogue } from './pack-catalogue.ts'

/** The thread of `pack-apart.ts`: answers the packed catalogue, and ends. */
const { sources, beneath, key } = workerData as PackRequest
parentPort?.postMessage(packCatalogue(compileCatalogue(sources, beneath), key))
