import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'

/** Something that is wrong, at a line of the text. */
export interface Finding {
  /** From 1. */
  line: number
  message: string
  severity: 'error' | 'warning'
}

export interface CodeEditorProps {
  label: string
  language: 'yaml' | 'json'
  value: string
  onChange?: (value: string) => void
  readOnly?: boolean
  findings?: Finding[]
}

/** Colors of the tokens, so that they follow the theme. */
const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--info)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--warning)' },
  { tag: [tags.comment, tags.meta], color: 'var(--mortise-muted-text)' },
  { tag: tags.invalid, color: 'var(--error)' },
])
const looks = EditorView.theme({
  '&': { color: 'var(--mortise-text)', backgroundColor: 'var(--mortise-surface)' },
  '.cm-content': { caretColor: 'var(--mortise-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mortise-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--ground)',
    color: 'var(--mortise-muted-text)',
    borderRight: '1px solid var(--mortise-border)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--chosen)',
  },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--hover)', border: 'none', color: 'var(--mortise-muted-text)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--mortise-surface)',
    color: 'var(--mortise-text)',
    border: '1px solid var(--mortise-border)',
  },
})

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

/** A text editor for manifests and JSON. Loaded when a page needs it. Esc, then Tab leaves it. */
export default function CodeEditor({
  label,
  language,
  value,
  onChange,
  readOnly = false,
  findings = [],
}: CodeEditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const changed = useRef(onChange)
  changed.current = onChange
  // The editor owns its text: a new value replaces it only when it is another one.
  const first = useRef(value)
  useEffect(() => {
    if (!frame.current) return
    const editor = new EditorView({
      parent: frame.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce),
          basicSetup,
          language === 'yaml' ? yaml() : json(),
          syntaxHighlighting(colors),
          looks,
          lintGutter(),
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [label, language, readOnly])
  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const editor = view.current
    if (!editor) return
    const { doc } = editor.state
    const diagnostics = findings.map(({ line, message, severity }): Diagnostic => {
      const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines))
      return { from, to, message, severity }
    })
    editor.dispatch(setDiagnostics(editor.state, diagnostics))
  }, [findings])
  return <div ref={frame} className="editor" />
}
