import { fileURLToPath } from 'node:url'
import { packCli, packClient, packConnect } from './packages.ts'

/** `npm run packages`: packs the client, the components and the command line into `dist/`, as npm publishes them. */
const folder = fileURLToPath(new URL('../dist', import.meta.url))
for (const file of [await packClient(folder), await packConnect(folder), await packCli(folder)]) console.log(file)
