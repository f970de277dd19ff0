import { readSetting, writeSetting } from '../session/settings.ts'

export type Theme = 'system' | 'light' | 'dark'

export function chosenTheme(): Theme {
  return readSetting<Theme>('theme', 'system')
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  writeSetting('theme', theme)
}
