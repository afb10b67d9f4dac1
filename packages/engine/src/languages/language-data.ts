/** OCR data of one language, from the npm registry that also serves the English package of the install. */
export interface LanguageData {
  /** Name in a page's warning. */
  readonly name: string
  /** Hash of the unpacked `4.0.0_best_int` data, hexadecimal. */
  readonly sha256: string
}

export const ENGLISH = 'eng'

/** Version of each package, such as `@tesseract.js-data/deu`. */
export const PACKAGE_VERSION = '1.0.0'

/** Languages whose data Sluice fetches, by Tesseract's code. The install contains only English. */
export const LANGUAGES: Readonly<Record<string, LanguageData>> = {
  dan: data('Danish', '8caa660af31fe83225a341e525a9b591ed9c12fc42f23508834ddd3aa02360ed'),
  deu: data('German', 'a1b72cc25753eac167edfef5af4448a8dc34973503a2265c34c84520f896eb03'),
  fra: data('French', 'bf83833fa957ff0076f6aa93f69e3bdf7b014dea829ea0c0d6be6b48a3ceef6d'),
  ita: data('Italian', '36ec897f5f1f489b257801881286167a79b99a16040c6fbc7e3e30f03821b10b'),
  nld: data('Dutch', '363c360db9838838ff7ed3d8b885b33acc0d61d37165708303cf8a81e50164f3'),
  pol: data('Polish', '02b89cad819f1374631b4a3c92bdac79c214150f97a3686df78de6c8c30782db'),
  por: data('Portuguese', '42fab1f017aedab69b92bdecc01bbb11166cd3b177575612ee860f8e2825ece0'),
  spa: data('Spanish', '0062377729b81cc268b1822f09eb1c08c09f3f7f1c6b422540b51555a7eeea70'),
  swe: data('Swedish', 'a4c33cbd23d988c84b5f9d5d5b2417fc16da061e3dc7b16acb904a4566088b14'),
  chi_sim: data('Chinese', '9784f7c917c546424b690fcde708ce1f604a4393d08bb51ddab146d7d7c794e6'),
}

function data(name: string, sha256: string): LanguageData {
  return { name, sha256 }
}

export const packageOf = (code: string): string => `@tesseract.js-data/${code}`

/** Path of the data in a package. */
export const fileInPackage = (code: string): string => `4.0.0_best_int/${code}.traineddata.gz`

export const dataFileOf = (code: string): string => `${code}.traineddata`

/** Returns the code of a language by its English name. Null for a language that Sluice does not fetch. */
export function codeOf(name: string): string | null {
  if (name === 'English') return ENGLISH
  return Object.entries(LANGUAGES).find(([, language]) => language.name === name)?.[0] ?? null
}
