/** Starts the service: from its bundle, or from its sources where nobody built one (`npm run build`). */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serviceProgram } from '../../scripts/service-bundle.mjs'

await import(pathToFileURL(serviceProgram(join(import.meta.dirname, '../..'))).href)
