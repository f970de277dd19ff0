import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { writeSbom } from './sbom.ts'

/** `npm run sbom`: writes the software bill of materials of what runs, as CycloneDX. */
const folder = fileURLToPath(new URL('../dist', import.meta.url))
await mkdir(folder, { recursive: true })
const bom = await writeSbom()
await writeFile(`${folder}/mortise.cdx.json`, `${JSON.stringify(bom, null, 2)}\n`)
console.log(`${folder}/mortise.cdx.json: CycloneDX ${bom.specVersion}, ${bom.components.length} components`)
