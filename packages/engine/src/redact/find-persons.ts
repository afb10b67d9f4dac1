import nlp from 'compromise'
import { asSpans, matchesOf, withoutMarkup } from './find-matches.ts'
import type { Match } from './find-matches.ts'
import type { PiiSpan } from './pii-span.ts'

const NAME = String.raw`\p{Lu}[\p{L}'’-]+`
const FULL_NAME = String.raw`${NAME}(?:[ \u00a0]\p{Lu}\.)?(?:[ \u00a0](?:(?:van|von|der|den|de|del|della|di|da|la|le|bin|al|zu)[ \u00a0])*${NAME}){0,3}`

const TITLED = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Dame|Rev|Herrn?|Frau|Fräulein|Mme|Mlle|Madame|Monsieur|Señora?|Sra?|Signora?|Dott|Mevrouw|Meneer)\.?[ \u00a0](?:(?:Dr|Prof|med)\.[ \u00a0])*(?<value>${FULL_NAME})`,
  'gdu',
)
const GREETED = new RegExp(
  String.raw`^(?:Dear|Hi|Hello|Hallo|Liebe[rs]?|Cher|Chère|Estimad[oa]|Querid[oa]|Caro|Cara|Beste)[ \u00a0](?<value>${FULL_NAME})[,!:]`,
  'gdmu',
)
const SIGNED = new RegExp(
  String.raw`(?:Regards|regards|Sincerely|Yours truly|Cheers|Best wishes|Grüßen|Grüße|Cordialement|Saludos|Atentamente|Cordiali saluti),?\s*\n\s*(?<value>${FULL_NAME})[ \t]*$`,
  'gdmu',
)
const LABELLED = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:[Ff]ull |[Ff]irst |[Ll]ast |[Mm]iddle |[Mm]aiden |[Gg]iven |[Ff]amily )?[Nn]ame|[Ss]urname|Author|Contact(?: person)?|Attn|Signed by|Employee|Patient|Applicant|Tenant|Landlord|Guardian|Next of kin|Ansprechpartner(?:in)?|Vorname|Nachname|Inhaber(?:in)?|Geschäftsführer(?:in)?|Nom|Prénom|Nombre|Apellidos?|Cognome|Nome|Naam)\**[ \t]*:[ \t]*\**(?<value>${FULL_NAME})(?![\p{L}\p{N}])`,
  'gdu',
)

/** Words that exclude a name-like phrase: `Grace Period`, `Chase Bank`, `Jordan River`. */
const NO_SURNAME = new Set(
  `inc ltd llc gmbh ag corp corporation company co group bank holdings partners foundation institute university college school
   hospital church street road avenue lane river lake mountain island bay valley park bridge tower hall airport station museum
   award awards prize act law bill report review period era age day days week month year time times news post press journal
   version edition series system model method theorem law rule test syndrome disease effect street city county state states
   dr prof jr sr january february march april may june july august september october november december monday tuesday wednesday thursday
   friday saturday sunday table figure chapter section part page appendix note notes draft public private general`.split(
    /\s+/,
  ),
)
const TWO_CAPITALISED = new RegExp(String.raw`${NAME}[^\p{L}\p{N}\n]{1,4}(?:\p{Lu}\.[^\p{L}\p{N}\n]{1,3})?${NAME}`, 'u')

/** Finds people by the context of the name (title, greeting, signature, label), and by common given names. */
export function findPersons(text: string): PiiSpan[] {
  const byContext = [TITLED, GREETED, SIGNED, LABELLED].flatMap((pattern) => matchesOf(text, pattern))
  return asSpans([...byContext.filter(({ text: name }) => isName(name)), ...fullNames(text)], 'PERSON')
}

/** Finds full names in English text, piece by piece. Parses only pieces with two consecutive capitalised words. */
function fullNames(text: string): Match[] {
  return piecesOf(withoutMarkup(text))
    .filter((piece) => TWO_CAPITALISED.test(piece.text))
    .flatMap((piece) =>
      namesIn(piece.text).map((name) => ({ ...name, start: piece.start + name.start, end: piece.start + name.end })),
    )
}

/** Splits text into lines, and long lines at spaces. The parser's time is superlinear in its input. */
function piecesOf(text: string): Match[] {
  return matchesOf(text, /[^\n]{1,1000}(?= |$)|[^\n]{1000}/dgm)
}

function namesIn(line: string): Match[] {
  const people = nlp(line).people().json({ offset: true }) as {
    readonly offset: { readonly start: number; readonly length: number }
  }[]
  return people.flatMap(({ offset }) => {
    const text = line.slice(offset.start, offset.start + offset.length)
    const name = new RegExp(String.raw`${FULL_NAME}`, 'du').exec(text)
    if (name === null || !isFullName(name[0])) return []
    const start = offset.start + name.index
    return [{ start, end: start + name[0].length, text: name[0] }]
  })
}

/** Requires two words. `Comisión de Normas` is a thing. `Charles de Gaulle` has the same form, so it remains too. */
function isFullName(name: string): boolean {
  return /\s/.test(name) && !/^\S+ d[aeio]s? (?:la )?\S+$/.test(name) && isName(name)
}

/** Rejects company, place, month and heading words, and all capitals. */
function isName(name: string): boolean {
  const words = name.toLowerCase().split(/[\s.]+/)
  return (
    words.every((word) => !NO_SURNAME.has(word.replace(/['’]s$/, ''))) &&
    !(words.length > 1 && name === name.toUpperCase())
  )
}
