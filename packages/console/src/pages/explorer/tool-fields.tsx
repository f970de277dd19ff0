import { useState } from 'react'
import { CheckField, SelectField, TextArea, TextField } from '../../parts/fields.tsx'
import {
  type ArgumentField,
  type ArgumentSchema,
  type ArgumentTexts,
  nullText,
  takesNull,
  typeOf,
} from './tool-arguments.ts'

/** More fields than this are folded: an account may have hundreds. */
const shownMax = 10

/** A form for the arguments of a tool, from its schema. */
export function ToolFields({
  fields,
  texts,
  wanted,
  onChange,
}: {
  fields: ArgumentField[]
  texts: ArgumentTexts
  /** Keys of fields that are shown in any case. */
  wanted: ReadonlySet<string>
  onChange: (key: string, text: string) => void
}) {
  const [query, setQuery] = useState('')
  const isFirst = ({ key, required, path }: ArgumentField) => required || path.length === 1 || wanted.has(key)
  const first = fields.filter(isFirst)
  const others = fields.filter((field) => !isFirst(field))
  const room = Math.max(shownMax - first.length, 0)
  const folded = others.length > room ? others.slice(room) : []
  const found = folded.filter(({ path }) => path.join('.').toLowerCase().includes(query.trim().toLowerCase()))
  const input = (field: ArgumentField) => (
    <ArgumentInput
      key={field.key}
      field={field}
      text={texts[field.key] ?? ''}
      onChange={(text) => onChange(field.key, text)}
    />
  )
  return (
    <>
      {groupsOf([...first, ...others.slice(0, room)]).map(({ name, fields }) =>
        name === undefined ? (
          <div key="" className="parameters">
            {fields.map(input)}
          </div>
        ) : (
          <fieldset key={name} className="choices">
            <legend>{groupWords[name] ?? name}</legend>
            <div className="parameters">{fields.map(input)}</div>
          </fieldset>
        ),
      )}
      {folded.length > 0 && (
        <details className="form-rare">
          <summary>{folded.length} further fields</summary>
          <div className="form">
            <TextField
              type="search"
              label="Find a field"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
            <div className="parameters">{found.map(input)}</div>
          </div>
        </details>
      )}
    </>
  )
}

const groupWords: Record<string, string> = {
  where: 'Search by (where)',
  fields: 'Values to set (fields)',
}

/** Arguments of the tool itself, and those inside `where` or `fields`. */
function groupsOf(fields: ArgumentField[]): { name: string | undefined; fields: ArgumentField[] }[] {
  const groups = Map.groupBy(fields, ({ path }) => (path.length > 1 ? path[0] : undefined))
  return [...groups].map(([name, fields]) => ({ name, fields }))
}

interface InputProps {
  field: ArgumentField
  text: string
  onChange: (text: string) => void
}

function ArgumentInput({ field, text, onChange }: InputProps) {
  const { path, schema, required } = field
  const label = path.at(-1) ?? ''
  // Of fields inside `where` and `fields`, few are required: these say so.
  const labels = {
    label: path.length > 1 && required ? `${label} (required)` : label,
    optional: path.length === 1 && !required,
    help: helpOf(field),
  }
  const type = typeOf(schema)
  const choices = type === 'boolean' ? ['true', 'false'] : choicesOf(schema)
  if (choices)
    return (
      <SelectField
        {...labels}
        value={text}
        choices={[
          { value: '', label: required ? 'Choose a value' : 'Not set' },
          ...choices.map((value) => ({ value, label: value })),
          ...(takesNull(schema) ? [{ value: nullText, label: 'No value' }] : []),
        ]}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  const items = type === 'array' && schema.items && choicesOf(schema.items)
  if (items && text !== nullText)
    return <Choices label={labels.label} choices={items} text={text} onChange={onChange} />
  if (type === 'array')
    return <TextArea {...labels} rows={3} value={text} onChange={(event) => onChange(event.target.value)} />
  const isNumber = type === 'integer' || type === 'number'
  return (
    <TextField
      {...labels}
      {...(isNumber && { inputMode: type === 'integer' ? ('numeric' as const) : ('decimal' as const) })}
      type={schema.format === 'date' && text !== nullText ? 'date' : 'text'}
      spellCheck={false}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function Choices({
  label,
  choices,
  text,
  onChange,
}: {
  label: string
  choices: string[]
  text: string
  onChange: (text: string) => void
}) {
  const chosen = text.split('\n')
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      {choices.map((value) => (
        <CheckField
          key={value}
          label={value}
          checked={chosen.includes(value)}
          onChange={(checked) =>
            onChange(choices.filter((one) => (one === value ? checked : chosen.includes(one))).join('\n'))
          }
        />
      ))}
    </fieldset>
  )
}

function choicesOf({ enum: values }: ArgumentSchema): string[] | undefined {
  return values?.filter((value) => value !== null)
}

function helpOf({ schema }: ArgumentField): string | undefined {
  const { format, description } = schema
  const type = typeOf(schema)
  const form =
    format === 'date-time'
      ? 'For example 2026-11-27T10:00:00Z.'
      : type === 'array'
        ? 'One a line.'
        : type === undefined
          ? 'Text, or JSON that begins with {, [ or ".'
          : undefined
  const removal =
    takesNull(schema) && type !== 'boolean' && !schema.enum ? 'Write null to remove the value.' : undefined
  return [description, form, removal].filter(Boolean).join(' ') || undefined
}
