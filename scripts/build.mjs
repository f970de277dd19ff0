import path from 'node:path'
import { buildService } from './build-service.mjs'

/** `npm run build`: builds the bundle of the service, where no launcher does it: for systemd and for the image. */
const folder = await buildService(path.resolve(import.meta.dirname, '..'))
if (folder === undefined) {
  console.error(
    'The bundle cannot be built: install the tools of development first (npm ci), in a folder that you may write.',
  )
  process.exit(1)
}
console.log(path.relative(process.cwd(), folder))
