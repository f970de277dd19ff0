import { readdir, readFile } from 'node:fs/promises'
import generated from '../catalogue.generated.json' with { type: 'json' }
import type { CatalogueFault } from './entry.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import type { Facts } from './make-entry.ts'
import { readProviderFile } from './read-provider-file.ts'

/** The provider files of this package, read and checked from their YAML. The service loads their generated form. */
export async function readBuiltIn(): Promise<{
  outlines: Record<string, ProviderFileOutline>
  faults: CatalogueFault[]
}> {
  const facts = generated.providers as unknown as Record<string, Facts>
  const dir = new URL('../../providers/', import.meta.url)
  const outlines: Record<string, ProviderFileOutline> = {}
  const faults: CatalogueFault[] = []
  for (const name of (await readdir(dir)).filter((file) => file.endsWith('.yaml')).sort()) {
    const text = await readFile(new URL(name, dir), 'utf8')
    const result = readProviderFile(`providers/${name}`, text, (provider) => facts[provider])
    if (result.faults === undefined) outlines[result.outline.name] = result.outline
    else faults.push(...result.faults)
  }
  return { outlines, faults }
}
