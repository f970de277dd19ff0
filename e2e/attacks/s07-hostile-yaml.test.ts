import { attack } from './s07-hostile-yaml.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
