import type { Finding, Manifest } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Issue, UnacceptableInput } from '../../../kernel/http/index.ts'
import { findIntegration } from './store.ts'
import { errorsOf, type ValidateServices, validateSource } from './validate-source.ts'

/** An integration as a body holds it, instead of in a manifest. */
export interface PostedIntegration {
  name: string
  provider: string
  latestRevision: { specVersion: string; content: Record<string, unknown> }
}

/**
 * The manifest of one integration that a body holds, under the rules of a deploy.
 *
 * @throws UnacceptableInput with everything that is wrong with it, a name that is taken included
 */
export async function postedManifest(
  db: ProjectDb,
  posted: PostedIntegration,
  services: ValidateServices,
): Promise<Manifest> {
  const { name, provider, latestRevision } = posted
  // JSON is YAML: one validator for both, in its thread.
  const document = {
    specVersion: latestRevision.specVersion,
    integrations: [{ name, provider, ...latestRevision.content }],
  }
  const { manifest, findings } = await validateSource(db, JSON.stringify(document), false, services)
  const issues = errorsOf(findings).map(issueOf)
  for (const key of ['name', 'provider'] as const) {
    const inContent = latestRevision.content[key]
    if (inContent === undefined || inContent === posted[key]) continue
    issues.push({
      in: 'body',
      name: `latestRevision.content.${key}`,
      value: inContent,
      detail: `The content names another ${key} than the integration.`,
      remedy: 'Send the same in both places, or leave it out of the content.',
    })
  }
  const existing = await findIntegration(db, name)
  if (existing?.name === name) issues.push(nameTaken(name))
  if (!manifest || issues.length > 0) throw new UnacceptableInput({ issues })
  return manifest
}

export function nameTaken(name: string): Issue {
  return {
    in: 'body',
    name: 'name',
    value: name,
    detail: `The project has an integration named ${JSON.stringify(name)} already.`,
    remedy: 'Choose another name, or give that integration a revision.',
  }
}

/** A finding about the document that was made of the body, at its place in the body. */
function issueOf({ path, value, message, suggestion, rule }: Finding): Issue {
  return {
    in: 'body',
    name: path
      .replace(/^\$\.integrations\[0\]/, '$.content')
      .replace(/^\$\.?/, 'latestRevision.')
      .replace(/\.$/, ''),
    ...(value !== undefined && { value }),
    detail: message,
    ...(suggestion !== undefined && { remedy: suggestion }),
    context: { rule },
  }
}
