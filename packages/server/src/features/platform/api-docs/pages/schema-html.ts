import { type Html, html } from '../../../../kernel/http/index.ts'
import { type OpenApiView, referredName, type SchemaView } from '../openapi-view.ts'
import { prose } from './prose.ts'

/** Renders the type of a value in words. A named type links to its definition. */
export function typeHtml(schema: SchemaView): Html {
  const name = referredName(schema)
  if (name !== undefined) return html`<a href="/docs/resources#${name}">${name}</a>`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices?.some(({ $ref, type }) => $ref ?? type))
    return html`${choices.map((choice, at) => html`${at > 0 && ' or '}${typeHtml(choice)}`)}`
  if (schema.items) return html`array of ${typeHtml(schema.items)}`
  if (typeof schema.additionalProperties === 'object') return html`map of ${typeHtml(schema.additionalProperties)}`
  if (schema.enum) return html`${schema.enum.map((value, at) => html`${at > 0 && ' · '}<code>${String(value)}</code>`)}`
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any')
  return html`${schema.format === undefined ? type : `${type}, ${schema.format}`}`
}

const bounds = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' items'],
] as const

/** Renders the limits of a value. */
export function limitsHtml(schema: SchemaView): Html {
  const limits = bounds.flatMap(([least, most, unit]) => {
    const [from, to] = [schema[least], schema[most]]
    if (from === undefined && to === undefined) return []
    const last = to ?? from
    const named = last === 1 ? unit.replace(/s$/, '') : unit
    if (from === undefined) return `at most ${to}${named}`
    return to === undefined ? `at least ${from}${named}` : `${from} to ${to}${named}`
  })
  if (schema.default !== undefined) limits.unshift(`default ${JSON.stringify(schema.default)}`)
  return html`${limits.length > 0 && html` <small>${limits.join(', ')}</small>`}`
}

/** Renders the fields of an object, with the fields of nested objects inside. */
export function fieldsHtml(view: OpenApiView, schema: SchemaView, seen: readonly string[] = []): Html {
  const name = referredName(schema)
  if (name !== undefined) {
    const named = view.components.schemas[name]
    return named ? fieldsHtml(view, named, [...seen, name]) : html``
  }
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) return html``
  return html`<ul class="fields">${properties.map(([field, property]) => fieldHtml(view, schema, field, property, seen))}</ul>`
}

function fieldHtml(
  view: OpenApiView,
  owner: SchemaView,
  field: string,
  property: SchemaView,
  seen: readonly string[],
): Html {
  const required = owner.required?.includes(field)
  const referred = view.components.schemas[referredName(property) ?? '']
  const description = property.description ?? referred?.description
  const inner = innerOf(property)
  const innerName = referredName(inner)
  const isOpen = innerName === undefined || !seen.includes(innerName)
  const below = isOpen ? fieldsHtml(view, inner, seen) : html``
  return html`<li><code>${field}</code> <span class="type">${typeHtml(property)}</span>${required && html` <span class="required">required</span>`}${property.deprecated && html` <span class="deprecated">deprecated</span>`}${limitsHtml(property)}
${description !== undefined && html`<div>${prose(description)}</div>`}
${below.text !== '' && html`<details><summary>Fields of <code>${field}</code></summary>${below}</details>`}</li>
`
}

/** Returns the schema of the items of a list or a map. */
function innerOf(schema: SchemaView): SchemaView {
  if (schema.items) return innerOf(schema.items)
  return typeof schema.additionalProperties === 'object' ? innerOf(schema.additionalProperties) : schema
}
