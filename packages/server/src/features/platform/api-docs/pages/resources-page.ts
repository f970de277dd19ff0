import { type Html, html } from '../../../../kernel/http/index.ts'
import type { OpenApiView, SchemaView } from '../openapi-view.ts'
import type { Resource } from '../resources.ts'
import { prose } from './prose.ts'
import { fieldsHtml, typeHtml } from './schema-html.ts'

/** Resources first, then the schemas that they and the bodies are made of. */
export function resourceNames(view: OpenApiView, resources: Record<string, Resource>): string[] {
  const { schemas } = view.components
  const names = Object.keys(resources).filter((name) => name in schemas)
  return [...names, ...Object.keys(schemas).filter((name) => !names.includes(name))]
}

export function resourcesPage(view: OpenApiView, resources: Record<string, Resource>): Html {
  return html`<h1>Resources and schemas</h1>
<p class="lead">The fields of all request and response bodies.</p>
${resourceNames(view, resources).map((name) => schemaHtml(view, name, view.components.schemas[name] ?? {}, resources[name]))}`
}

function schemaHtml(view: OpenApiView, name: string, schema: SchemaView, resource: Resource | undefined): Html {
  const fields = fieldsHtml(view, schema, [name])
  return html`<section id="${name}">
<h2><a href="#${name}">${name}</a></h2>
<p>${prose(schema.description ?? '')}</p>
${resource && html`<p>${prose(resource.life)}</p>`}
${fields.text === '' ? html`<p class="type">${typeHtml(schema)}</p>` : fields}
</section>
`
}
