# Completion of tensor-cts for bash: what may stand next, the program itself says.
_tensor_cts() {
  local line=${COMP_LINE:0:COMP_POINT} word about typed
  typed=${line##*[[:space:]]}
  COMPREPLY=()
  while IFS=$'\t' read -r word about; do
    # bash takes the word apart at = and :, and replaces its last part alone.
    COMPREPLY+=("${word#"${typed%"${typed##*[=:]}"}"}")
  done < <("${COMP_WORDS[0]}" complete --line "$line" 2>/dev/null)
  # The first part of a case's id: more comes.
  if [ "${#COMPREPLY[@]}" -eq 1 ] && [[ ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _tensor_cts tensor-cts
